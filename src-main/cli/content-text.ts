/** A tool's result for a terminal: text as text, everything else described. */
import { isObject, type JsonObject } from '../core/base/json.ts';
import { oneLine, plainText } from './plain-text.ts';

/** Ends with a line feed unless it is empty. `raw` leaves texts exactly as they came. */
export function contentText(result: JsonObject, raw: boolean): string {
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const clean = raw ? (text: string) => text : plainText;
  const blocks = content.map((block) => (isObject(block) ? blockText(block, clean) : clean(JSON.stringify(block))));
  if (content.length === 0 && result['structuredContent'] !== undefined)
    blocks.push(clean(JSON.stringify(result['structuredContent'], null, 2)));
  const text = blocks.join('\n');
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function blockText(block: JsonObject, clean: (text: string) => string): string {
  const { type, text, data, mimeType, uri, name, resource } = block;
  if (type === 'text' && typeof text === 'string') return clean(text);
  if (type === 'resource' && isObject(resource)) {
    return typeof resource['text'] === 'string'
      ? clean(resource['text'])
      : describe('resource', resource['uri'], resource['mimeType'], resource['blob']);
  }
  if (type === 'resource_link') return describe('link', [name, uri].filter(Boolean).join(' '), mimeType, undefined);
  return describe(typeof type === 'string' ? type : 'content', undefined, mimeType, data);
}

/** Such as `[image, image/png, 12 kB]`; the whole of it is in --json. */
function describe(kind: string, label: unknown, mimeType: unknown, base64: unknown): string {
  const size = typeof base64 === 'string' ? sizeText(Math.floor((base64.length * 3) / 4)) : '';
  const parts = [kind, label, mimeType, size].filter((part): part is string => typeof part === 'string' && part !== '');
  return `[${oneLine(parts.join(', '))}]`;
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
