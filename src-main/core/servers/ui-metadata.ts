/**
 * A server's metadata about a tool's user interface and its permitted callers. Source: SEP-1865 (MCP Apps, 2026-01-26).
 */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, objectOrEmpty } from '../base/json.ts';

/** The URI of its user interface; undefined: none. */
export function viewUriOf({ _meta: meta }: JsonObject): string | undefined {
  const uri = objectOrEmpty(objectOrEmpty(meta)['ui'])['resourceUri'] ?? objectOrEmpty(meta)[flatKey];
  return typeof uri === 'string' && isViewUri(uri) ? uri : undefined;
}

/** An older member for the URI, used by earlier servers and apps. */
const flatKey = 'ui/resourceUri';

export function isViewUri(uri: string): boolean {
  return /^ui:\/\//i.test(uri);
}

/** Whether a tool is for models, or for user interfaces; by default for both. */
export function isVisibleTo(whom: 'model' | 'app', { _meta: meta }: JsonObject): boolean {
  const { visibility } = objectOrEmpty(objectOrEmpty(meta)['ui']);
  return !Array.isArray(visibility) || visibility.includes(whom);
}

/** The same definition or result with another URI of the user interface. */
export function withViewUri<T extends JsonObject>(said: T, uri: string): T {
  const meta = objectOrEmpty(said['_meta']);
  return { ...said, _meta: { ...meta, ui: { ...objectOrEmpty(meta['ui']), resourceUri: uri }, [flatKey]: uri } };
}

/** A definition for user interfaces only, without an interface or output schema of its own. */
export function toAppOnlyDefinition({ outputSchema: _output, ...definition }: JsonObject): JsonObject {
  const { [flatKey]: _flat, ui, ...meta } = objectOrEmpty(definition['_meta']);
  const { resourceUri: _uri, ...rest } = objectOrEmpty(ui);
  return { ...definition, _meta: { ...meta, ui: { ...rest, visibility: ['app'] } } };
}

/** The part of a user interface that is pinned: a digest of the page, and its permissions. Undefined without a page. */
export function viewDefinition(uri: string, { contents }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(contents) || contents.length === 0) return undefined;
  const pages = (contents as unknown[]).filter(isObject);
  const page = createHash('sha256');
  for (const { text, blob } of pages) page.update(JSON.stringify([text ?? null, blob ?? null]));
  const reach = pages.map(({ _meta: meta }) => objectOrEmpty(meta)['ui']).filter(isObject);
  return { uri, mimeType: pages.map(({ mimeType }) => mimeType ?? null), page: page.digest('hex'), reach };
}
