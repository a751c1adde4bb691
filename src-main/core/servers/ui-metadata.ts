/**
 * A server's metadata about a tool's user interface and its permitted callers. Source: SEP-1865 (MCP Apps, 2026-01-26).
 */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';

/** The address of its interface; undefined: it has none. */
export function viewUriOf({ _meta: meta }: JsonObject): string | undefined {
  const uri = objectOrEmpty(objectOrEmpty(meta)['ui'])['resourceUri'] ?? objectOrEmpty(meta)[flatKey];
  return typeof uri === 'string' && isViewUri(uri) ? uri : undefined;
}

/** The older name of the address; servers and apps of that time use it. */
const flatKey = 'ui/resourceUri';

export function isViewUri(uri: string): boolean {
  return /^ui:\/\//i.test(uri);
}

/** Whether a tool is there for models, or for user interfaces. One that says nothing is for both. */
export function isVisibleTo(whom: 'model' | 'app', { _meta: meta }: JsonObject): boolean {
  const { visibility } = objectOrEmpty(objectOrEmpty(meta)['ui']);
  return !Array.isArray(visibility) || visibility.includes(whom);
}

/** The same definition, or answer, with another address of the interface. */
export function withViewUri<T extends JsonObject>(said: T, uri: string): T {
  const meta = objectOrEmpty(said['_meta']);
  return { ...said, _meta: { ...meta, ui: { ...objectOrEmpty(meta['ui']), resourceUri: uri }, [flatKey]: uri } };
}

/** A definition as user interfaces alone are shown it: it opens none itself, and they know what it answers. */
export function toAppOnlyDefinition({ outputSchema: _output, ...definition }: JsonObject): JsonObject {
  const { [flatKey]: _flat, ui, ...meta } = objectOrEmpty(definition['_meta']);
  const { resourceUri: _uri, ...rest } = objectOrEmpty(ui);
  return { ...definition, _meta: { ...meta, ui: { ...rest, visibility: ['app'] } } };
}

/**
 * The part of an interface that is compared with the pinned one: a digest of the page, and what the page may reach.
 * undefined if there is no page.
 */
export function viewDefinition(uri: string, { contents }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(contents) || contents.length === 0) return undefined;
  const pages = (contents as unknown[]).filter(isObject);
  const page = createHash('sha256');
  for (const { text, blob } of pages) page.update(JSON.stringify([text ?? null, blob ?? null]));
  const reach = pages.map(({ _meta: meta }) => objectOrEmpty(meta)['ui']).filter(isObject);
  return { uri, mimeType: pages.map(({ mimeType }) => mimeType ?? null), page: page.digest('hex'), reach };
}
