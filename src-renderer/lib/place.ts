/** Whether this page is shown on macOS. */
export function isOnMac(): boolean {
  return navigator.userAgent.includes('Mac');
}
