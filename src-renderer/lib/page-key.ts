/** The key that lets this page in: it comes in the link's fragment, leaves the address at once, and stays with this origin. */

const storageName = 'tooltray.key';

/** Takes the key out of the address, where there is one. To be called before anything reads the address. */
export function takeKey(): void {
  const key = /^#key=(.+)$/.exec(location.hash)?.[1];
  if (key === undefined) return;
  localStorage.setItem(storageName, decodeURIComponent(key));
  history.replaceState(undefined, '', location.pathname);
}

/** What every question over HTTP carries. */
export function keyHeaders(): Readonly<Record<string, string>> {
  const key = localStorage.getItem(storageName);
  return key === null ? {} : { authorization: `Bearer ${key}` };
}
