/**
 * One server as a registry describes it (`server.json`), parsed into what users are shown and what a config entry is
 * made from.
 */
import { isObject, type JsonObject, objectOrEmpty, textOrEmpty } from '../base/json.ts';
import { truncateText, markInvisible } from '../base/visible-text.ts';
import { type ParsedOption, parsePackage, parseRemote } from './parse-option.ts';

// Source: the registry's OpenAPI description and schema of server.json, 2025-12-11.

/** All texts are the publisher's, with invisible characters marked: show them as text, never as HTML. */
export interface RegistryServer {
  /** In the registry: `io.github.user/weather`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** The publisher, as verified by the registry: the part of the name before the slash. Empty if there is none. */
  readonly publisher: string;
  /** URL of its source; empty if unknown. */
  readonly repository: string;
  readonly website: string;
  readonly status: 'active' | 'deprecated' | 'deleted';
  /** The reason; may be empty. */
  readonly statusMessage: string;
  /** The registry's timestamp (RFC 3339); may be empty. */
  readonly publishedAt: string;
  /** The ways to run or reach it, in the publisher's order. */
  readonly options: readonly ParsedOption[];
}

const maxOptions = 20;
const maxDescriptionLength = 1000;
const maxNameLength = 255;

/** Key of the registry's own data, as opposed to the publisher's. */
const registryMeta = 'io.modelcontextprotocol.registry/official';

/** Undefined for an invalid entry. Entries of the registry's first months have one level less. */
export function parseRegistryServer(item: unknown): RegistryServer | undefined {
  const server = isObject(item) && isObject(item['server']) ? item['server'] : item;
  if (!isObject(server)) return undefined;
  const { name, version, repository } = server;
  if (typeof name !== 'string' || name === '' || name.length > 200 || markInvisible(name) !== name) return undefined;
  const meta = objectOrEmpty(objectOrEmpty(objectOrEmpty(item)['_meta'])[registryMeta]);
  return {
    name,
    title: shown(server['title'], maxNameLength),
    description: shown(server['description'], maxDescriptionLength),
    version: shown(version, maxNameLength),
    publisher: name.includes('/') ? name.slice(0, name.indexOf('/')) : '',
    repository: pageOf(objectOrEmpty(repository)['url']),
    website: pageOf(server['websiteUrl']),
    status: statusOf(meta['status'] ?? server['status']),
    statusMessage: shown(meta['statusMessage'], 500),
    publishedAt: shown(meta['publishedAt'], maxNameLength),
    options: [
      ...objects(server['packages']).slice(0, maxOptions).map(parsePackage),
      ...objects(server['remotes']).slice(0, maxOptions).map(parseRemote),
    ],
  };
}

/** Whether the registry has a newer version. */
export function isOutdated(item: unknown): boolean {
  return objectOrEmpty(objectOrEmpty(objectOrEmpty(item)['_meta'])[registryMeta])['isLatest'] === false;
}

/** A name for the config, from the part after the slash: `weather`; numbered if that is taken. */
export function uniqueName(registryName: string, taken: readonly string[]): string {
  const last = registryName.slice(registryName.lastIndexOf('/') + 1);
  const wanted = last.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+|[-.]+$/g, '') || 'server';
  const names = [wanted, ...Array.from({ length: taken.length + 1 }, (_, at) => `${wanted}-${at + 2}`)];
  return names.find((name) => !taken.includes(name)) ?? wanted;
}

function statusOf(value: unknown): RegistryServer['status'] {
  return value === 'deprecated' || value === 'deleted' ? value : 'active';
}

function shown(value: unknown, length: number): string {
  return markInvisible(truncateText(textOrEmpty(value).replace(/\s+/g, ' ').trim(), length));
}

/** An address that a user may open; empty for any other. */
function pageOf(value: unknown): string {
  const text = textOrEmpty(value);
  const isPage = text.length <= 2000 && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  return isPage ? markInvisible(text) : '';
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];
}
