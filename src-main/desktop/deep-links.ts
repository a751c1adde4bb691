/** Places in the dashboard, as in its URL after `#/`; external links can only select a place. */

export const dashboardOrigin = 'app://tooltray/';
export const linkScheme = 'tooltray';

const views: ReadonlySet<string> = new Set(['overview', 'inbox', 'servers', 'activity', 'spills', 'setup', 'settings']);
const maxLinkLength = 500;

export function dashboardUrl(place: string): string {
  return place === '' ? dashboardOrigin : `${dashboardOrigin}#/${place}`;
}

/**
 * Parses `tooltray://servers/github` to `servers/github`. Returns undefined for any other link. Untrusted: any program
 * can create a link.
 */
export function parseDeepLink(link: string): string | undefined {
  const [, rest] = /^tooltray:\/\/([^?#]*)/i.exec(link) ?? [];
  if (rest === undefined || link.length > maxLinkLength) return undefined;
  const [view = '', ...path] = rest
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  if (!views.has(view.toLowerCase())) return '';
  return [view.toLowerCase(), ...path].map(encodeURIComponent).join('/');
}

/** The deep link in the arguments of a second start, if any. */
export function describeLink(words: readonly string[]): string | undefined {
  return words.map(parseDeepLink).find((place) => place !== undefined);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
