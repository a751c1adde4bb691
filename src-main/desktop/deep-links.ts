/**
 * Places of the dashboard, as its address has them behind `#/`; links from outside name them too, and can do nothing
 * else.
 */

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

/** The link among the words that a second start was given, where there is one. */
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
