/**
 * The kind of client app, by the MCP extensions it declares (`capabilities.extensions`): servers may offer more to an
 * app that can show it. Source: SEP-1724 (extensions), SEP-1865 (MCP Apps, 2026-01-26).
 */
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';
import { truncateName } from '../base/visible-text.ts';
import { canonicalHash, isSameJson } from '../trust/canonical-json.ts';

export interface ExtensionSet {
  /** The same for all apps that declare the same. */
  readonly key: string;
  /** Settings by the name of the extension, as the app declares them. */
  readonly extensions: JsonObject;
  /** Which apps are of it, in words: `apps that show user interfaces`. */
  readonly apps: string;
}

/** The extension by which tools have user interfaces. */
export const viewExtension = 'io.modelcontextprotocol/ui';
/** The MIME type of such an interface. */
export const viewType = 'text/html;profile=mcp-app';
/** The extension by which a call is answered with a task (SEP-2663). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** undefined: it declares none. `without`: extensions that are not to count. */
export function extensionSetOf(capabilities: JsonObject, without: readonly string[] = []): ExtensionSet | undefined {
  const declared = Object.entries(objectOrEmpty(capabilities['extensions']));
  const announced = declared.filter(([name, settings]) => isObject(settings) && !without.includes(name));
  if (announced.length === 0) return undefined;
  const extensions = Object.fromEntries(announced);
  return { key: canonicalHash(extensions).slice(0, 16), extensions, apps: appsThat(extensions) };
}

/**
 * Whether it shows the user interfaces of tools. The types are to be named; an app that names none is taken at its
 * word.
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

/** Merges the extensions of several servers: lists and groups are united, otherwise the first value counts. */
export function mergedExtensions(capabilities: readonly JsonObject[]): JsonObject {
  return capabilities.map((one) => objectOrEmpty(one['extensions'])).reduce(merged, {});
}

function merged(one: JsonObject, other: JsonObject): JsonObject {
  const all = { ...one };
  for (const [key, value] of Object.entries(other)) {
    // A name such as `__proto__` is a member like any other.
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

// Notifications beyond the specification pass between a server and a client app if both sides declared what they belong
// to.
// Source: MCP 2025-11-25, Lifecycle (`capabilities.experimental`); SEP-1724 (`capabilities.extensions`).

const standard: ReadonlySet<string> = new Set(
  [
    'initialized cancelled progress message roots/list_changed tools/list_changed prompts/list_changed',
    'resources/list_changed resources/updated elicitation/complete tasks tasks/status subscriptions/acknowledged',
  ].flatMap((line) => line.split(' ').map((name) => `notifications/${name}`)),
);

/** Whether both sides declared what a notification belongs to: `notifications/claude/channel` to `claude/channel`. */
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

/**
 * Extensions of the specification's own that the merged view serves; it passes those of vendors, but answers no methods
 * of them.
 */
const served: ReadonlySet<string> = new Set([viewExtension, tasksExtension]);

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
