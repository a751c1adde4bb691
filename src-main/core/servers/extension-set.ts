/**
 * Extension set: the MCP extensions that a client app declares (`capabilities.extensions`). Servers may offer more to
 * an app that supports them. Source: SEP-1724 (extensions), SEP-1865 (MCP Apps, 2026-01-26).
 */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { truncateName } from '../base/visible-text.ts';
import { canonicalHash, isSameJson } from '../trust/canonical-json.ts';

export interface ExtensionSet {
  /** Equal for apps with equal declarations. */
  readonly key: string;
  /** Settings by extension name, as declared. */
  readonly extensions: JsonObject;
  /** The apps in words: `apps that show user interfaces`. */
  readonly apps: string;
}

/** The extension for user interfaces of tools. */
export const viewExtension = 'io.modelcontextprotocol/ui';
/** MIME type of a user interface. */
export const viewType = 'text/html;profile=mcp-app';
/** The extension for tasks (SEP-2663). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The extension for skills (SEP-2640). Only servers declare it. */
export const skillsExtension = 'io.modelcontextprotocol/skills';

/** Undefined if the app declares none. `without`: extensions to ignore. */
export function extensionSetOf(capabilities: JsonObject, without: readonly string[] = []): ExtensionSet | undefined {
  const declared = Object.entries(objectOrEmpty(capabilities['extensions']));
  const announced = declared.filter(([name, settings]) => isObject(settings) && !without.includes(name));
  if (announced.length === 0) return undefined;
  const extensions = Object.fromEntries(announced);
  return { key: canonicalHash(extensions).slice(0, 16), extensions, apps: appsThat(extensions) };
}

/**
 * Whether the app renders user interfaces of tools. Apps should list MIME types; one that lists none is assumed to
 * support them.
 */
export function supportsViews({ extensions }: Pick<ExtensionSet, 'extensions'>): boolean {
  const settings = extensions[viewExtension];
  if (!isObject(settings)) return false;
  const { mimeTypes } = settings;
  return !Array.isArray(mimeTypes) || mimeTypes.includes(viewType);
}

function appsThat(extensions: JsonObject): string {
  const views = supportsViews({ extensions });
  const names = Object.keys(extensions).filter((name) => name !== viewExtension || !views);
  const declare = names.length === 0 ? [] : [`declare ${names.map((name) => truncateName(name)).join(', ')}`];
  return `apps that ${[...(views ? ['show user interfaces'] : []), ...declare].join(' and ')}`;
}

/** Merges the extensions of several servers: lists and objects are merged, otherwise the first value wins. */
export function mergedExtensions(capabilities: readonly JsonObject[]): JsonObject {
  return capabilities.map((one) => objectOrEmpty(one['extensions'])).reduce(merged, {});
}

function merged(one: JsonObject, other: JsonObject): JsonObject {
  const all = { ...one };
  for (const [key, value] of Object.entries(other)) {
    // A name such as `__proto__` is an ordinary member.
    const both = Object.hasOwn(all, key) ? together(all[key], value) : value;
    Object.defineProperty(all, key, { value: both, enumerable: true, configurable: true, writable: true });
  }
  return all;
}

function together(one: unknown, other: unknown): unknown {
  if (isObject(one) && isObject(other)) return merged(one, other);
  if (!Array.isArray(one) || !Array.isArray(other)) return one;
  const known: unknown[] = one;
  const fresh = (other as unknown[]).filter((item) => !known.some((had) => isSameJson(had, item)));
  return [...known, ...fresh];
}

// Vendor notifications pass between a server and a client app only if both sides declared their capability. Source: MCP
// 2025-11-25, Lifecycle (`capabilities.experimental`); SEP-1724 (`capabilities.extensions`).

const standard: ReadonlySet<string> = new Set(
  [
    'initialized cancelled progress message roots/list_changed tools/list_changed prompts/list_changed',
    'resources/list_changed resources/updated elicitation/complete tasks tasks/status subscriptions/acknowledged',
  ].flatMap((line) => line.split(' ').map((name) => `notifications/${name}`)),
);

/**
 * Whether both sides declared the capability of a notification: `claude/channel` for `notifications/claude/channel`.
 */
export function isDeclared(method: string, ...sides: readonly (JsonObject | undefined)[]): boolean {
  if (standard.has(method)) return true;
  return sides.every((capabilities = {}) => declaredBy(capabilities).some((name) => belongsTo(method, name)));
}

function declaredBy({ experimental, extensions }: JsonObject): readonly string[] {
  return [...Object.keys(objectOrEmpty(experimental)), ...Object.keys(objectOrEmpty(extensions))];
}

function belongsTo(method: string, name: string): boolean {
  return [name, `notifications/${name}`].some((start) => method === start || method.startsWith(`${start}/`));
}

/** Official extensions that the merged view supports; vendor extensions pass, but their methods do not. */
const served: ReadonlySet<string> = new Set([viewExtension, tasksExtension, skillsExtension]);

/** Omits extensions that would be announced and then rejected with "Method not found". */
export function servedExtensions(extensions: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(extensions).filter(([name]) => !name.startsWith('io.modelcontextprotocol/') || served.has(name)),
  );
}

/** Merges the experimental capabilities of servers; the first server's value counts. */
export function experimentalOf(capabilities: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(
    capabilities.toReversed().flatMap((one) => Object.entries(objectOrEmpty(one['experimental']))),
  );
}
