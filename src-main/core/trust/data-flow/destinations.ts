/**
 * Extracts destinations from a call's arguments: addresses, hosts, accounts, telephone numbers and names, normalized.
 */
import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { isObject, type JsonObject } from '../../base/json.ts';
import { hasDigits, mayContainUrl, isAscii } from '../text-prefilter.ts';

export type DestinationKind = 'mail' | 'site' | 'account' | 'phone' | 'name';

export interface Destination {
  readonly kind: DestinationKind;
  /** Normalized: used for comparison and storage. */
  readonly key: string;
  /** Spellings that a text may contain; the most specific one first. */
  readonly spellings: readonly string[];
  /** The spelling in the arguments. */
  readonly written: string;
  /** The whole address, for a site. */
  readonly url?: string;
  /** Whether it is part of a text that is sent, instead of the address of the call. */
  readonly isLink?: boolean;
}

/** A text in the arguments, and the keys that lead to it. */
export interface ArgumentText {
  readonly keys: readonly string[];
  readonly text: string;
}

const maxTexts = 2000;
const maxDepth = 20;

/** Texts and numbers in the arguments, in order; items of a list have the list's keys. */
export function argumentTexts(args: JsonObject | undefined): readonly ArgumentText[] {
  const found: ArgumentText[] = [];
  if (args !== undefined) addTexts(args, [], found);
  return found;
}

function addTexts(value: unknown, keys: readonly string[], found: ArgumentText[]): void {
  if (found.length >= maxTexts || keys.length > maxDepth) return;
  if (typeof value === 'string') found.push({ keys, text: value });
  else if (typeof value === 'number' || JSON.isRawJSON(value)) found.push({ keys, text: JSON.stringify(value) });
  else if (Array.isArray(value)) for (const item of value) addTexts(item, keys, found);
  else if (isObject(value)) for (const key of Object.keys(value)) addTexts(value[key], [...keys, key], found);
}

const mailPattern = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu;
/** The same pattern for ASCII texts, because tables for other scripts take several times as long to set up. */
const asciiMailPattern = /[\w.%+-]{1,64}@[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){1,8}/g;
const urlPattern =
  /\b(?:https?|wss?|ftps?):\/\/[^\s"'<>`\\^{}|]{1,4000}|\bwww\.[\w-]{1,63}\.[^\s"'<>`\\^{}|]{1,4000}/gi;
const ibanPattern = /\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{2,4}){3,8}\b/g;
const walletPattern = /\b(?:0x[0-9a-fA-F]{40}|bc1[a-z0-9]{20,70})\b/g;
const phonePattern = /(?<![\w.])(?:\+|00)\d[\d ()./-]{6,20}\d(?!\w)/g;
/** A host without a scheme, as users write it. */
const bareHost = /^(?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}]{2,24}(?::\d{1,5})?(?:[/?#]\S*)?$/u;
const bareMail = new RegExp(`^(?:mailto:)?(${mailPattern.source})$`, 'u');

/** Destinations in a text under a key that names the recipient; includes plain names. */
export function destinationsIn(text: string, mayBeName: boolean): readonly Destination[] {
  const found = [...mailsIn(text), ...sitesIn(text), ...accountsIn(text), ...phonesIn(text)];
  if (found.length > 0) return found;
  const trimmed = text.trim();
  if (bareHost.test(trimmed)) return siteOf(trimmed, `http://${trimmed}`);
  return mayBeName && /^[@#]?[\p{L}\p{N}][^\n]{1,60}$/u.test(trimmed) && trimmed.split(/\s+/).length <= 4
    ? [nameOf(trimmed)]
    : [];
}

/** Destinations in a text that is nothing but an address, whatever its key. */
export function parseDestination(text: string): readonly Destination[] {
  if (text.length > 4000) return [];
  const trimmed = text.trim();
  const mail = trimmed.includes('@') ? bareMail.exec(trimmed)?.[1] : undefined;
  if (mail !== undefined) return mailsIn(mail);
  if (!mayContainUrl(trimmed)) return [];
  const [url] = trimmed.match(urlPattern) ?? [];
  return url === trimmed ? siteOf(url, url) : [];
}

/** Returns the links in a text that is sent, because its readers follow them, some programs automatically. */
export function linksIn(text: string): readonly Destination[] {
  return sitesIn(text).map((site) => ({ ...site, isLink: true }));
}

function mailsIn(text: string): readonly Destination[] {
  if (!text.includes('@')) return [];
  const plain = isAscii(text);
  return (text.match(plain ? asciiMailPattern : mailPattern) ?? []).map((written) => {
    const key = (plain ? written : written.normalize('NFKC')).toLowerCase();
    return { kind: 'mail', key: `mail ${key}`, spellings: [key], written };
  });
}

function sitesIn(text: string): readonly Destination[] {
  if (!mayContainUrl(text)) return [];
  return (text.match(urlPattern) ?? []).flatMap((written) => {
    const url = written.replace(/[.,;:!?)\]]+$/, '');
    return siteOf(url, /^www\./i.test(url) ? `http://${url}` : url);
  });
}

/** Hosts shared by many users, where the path is part of the destination. */
const shared: ReadonlySet<string> = new Set(
  `api.telegram.org bitbucket.org discord.com discordapp.com docs.google.com drive.google.com dropbox.com facebook.com
   forms.gle gist.github.com gist.githubusercontent.com github.com gitlab.com hooks.slack.com hooks.zapier.com linkedin.com
   medium.com notion.so pastebin.com raw.githubusercontent.com reddit.com requestbin.com s3.amazonaws.com script.google.com
   storage.googleapis.com t.me twitter.com webhook.site wa.me x.com youtube.com`.split(/\s+/),
);

function siteOf(written: string, address: string): readonly Destination[] {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return [];
  }
  if (!/^(?:https?|wss?|ftps?):$/.test(url.protocol) || url.hostname === '') return [];
  const host = url.hostname.replace(/^www\./, '').replace(/\.$/, '');
  const place = shared.has(host) ? placeIn(url) : '';
  const spellings = place === '' ? [host, domainToUnicode(host)].flatMap(withParents) : placesOf(`${host}${place}`);
  return [{ kind: 'site', key: `site ${host}${place}`, spellings, written, url: sameUrl(url) }];
}

/**
 * Public suffixes below which anyone can register a host, so that two hosts there are unrelated. Two-letter countries
 * also
 * have `co.uk` and the like.
 */
const suffixes: ReadonlySet<string> = new Set(
  `amazonaws.com azurewebsites.net blogspot.com cloudfront.net github.io gitlab.io herokuapp.com netlify.app ngrok.io onrender.com
   pages.dev trycloudflare.com vercel.app web.app workers.dev`.split(/\s+/),
);

/** `a.b.example`, then `b.example`: data can leave in a host name below one that was read. */
function withParents(host: string): readonly string[] {
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) return [host];
  const labels = host.split('.');
  const names = labels.map((_label, at) => labels.slice(at).join('.'));
  const isParent = (name: string): boolean =>
    name.includes('.') && !suffixes.has(name) && !/^[a-z]{2,3}\.[a-z]{2}$/.test(name);
  return names.filter((name) => name === host || isParent(name));
}

/** `github.com/owner/repo/issues`, then each parent: the destination may be below one that was read. */
function placesOf(place: string): readonly string[] {
  const steps = place.split('/');
  return steps.slice(1).map((_step, at) => steps.slice(0, steps.length - at).join('/'));
}

function placeIn({ pathname }: URL): string {
  return pathname.split('/').slice(0, 4).join('/').replace(/\/$/, '').toLowerCase();
}

/** A normalized address without its fragment, which is not sent. */
function sameUrl(url: URL): string {
  const copy = new URL(url);
  copy.hash = '';
  copy.hostname = copy.hostname.replace(/^www\./, '');
  return copy.href.replace(/^\w+:\/\//, '').replace(/\/$/, '');
}

function accountsIn(text: string): readonly Destination[] {
  const banks = hasDigits(text, 4) ? text.match(ibanPattern) : null;
  const wallets = text.includes('0x') || text.includes('bc1') ? text.match(walletPattern) : null;
  const accounts = [...(banks ?? []), ...(wallets ?? [])];
  return accounts.map((written) => {
    const key = written.replace(/[ -]/g, '').toLowerCase();
    return { kind: 'account', key: `account ${key}`, spellings: [key], written };
  });
}

function phonesIn(text: string): readonly Destination[] {
  if (!text.includes('+') && !text.includes('00')) return [];
  return (text.match(phonePattern) ?? []).map((written) => {
    const key = written.replace(/\D/g, '').replace(/^00/, '');
    return { kind: 'phone', key: `phone ${key}`, spellings: [key], written };
  });
}

function nameOf(written: string): Destination {
  const key = written.replace(/^[@#]/, '').normalize('NFKC').toLowerCase();
  return { kind: 'name', key: `name ${key}`, spellings: [key], written };
}

/** Accounts and numbers written with spaces, in the spelling of a destination; for texts that are read. */
export function spacedNumbers(text: string): readonly string[] {
  return [...accountsIn(text), ...phonesIn(text)].flatMap(({ spellings }) => spellings);
}
