/** On which system this page is shown. */
export function isOnMac(): boolean {
  return navigator.userAgent.includes('Mac');
}
