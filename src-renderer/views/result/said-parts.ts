/** Payloads of a call, split into the blocks of a result, and the raw text. Pure. */
import { isRecord } from '../../lib/record.ts';
import { memberText, prettyJson } from '../../lib/result-text.ts';

export interface SaidPart {
  /** `Text`, `image/png`, `Structured content`, `Raw`. */
  readonly title: string;
  readonly kind: 'text' | 'json' | 'image' | 'audio' | 'binary';
  readonly mimeType: string;
  /** Split into lines; base64 for images, audio, and other data. */
  readonly text: string;
  /** Original text. */
  readonly original: string;
}

/**
 * The parts of a result; anything else, or a truncated one, is a single part. The last one is always
 * `Raw`.
 */
export function resultParts(json: string): readonly SaidPart[] {
  const result = parsed(json);
  const blocks = isRecord(result) && Array.isArray(result['content']) ? result['content'].map(partOfBlock) : [];
  const structured =
    isRecord(result) && result['structuredContent'] !== undefined
      ? [jsonPart('Structured content', memberText(prettyJson(json), 'structuredContent'))]
      : [];
  const parts = [...blocks, ...structured];
  const whole = parts.length > 0 || result === undefined ? [] : [jsonPart('Formatted', json)];
  return [...parts, ...whole, rawPart(json)];
}

/** The parts of arguments. */
export function requestParts(json: string): readonly SaidPart[] {
  return parsed(json) === undefined ? [rawPart(json)] : [jsonPart('Formatted', json), rawPart(json)];
}

function partOfBlock(block: unknown): SaidPart {
  if (!isRecord(block)) return jsonPart('Unknown', JSON.stringify(block));
  const { type, text, mimeType, data, resource } = block;
  const media = typeof mimeType === 'string' ? mimeType : '';
  if (type === 'text' && typeof text === 'string') return textPart('Text', text, 'text/plain');
  if (typeof data === 'string') return mediaPart(media, data);
  if (isRecord(resource)) {
    const { text: words, blob, mimeType: own } = resource;
    const kind = typeof own === 'string' ? own : '';
    if (typeof words === 'string') return textPart(kind === '' ? 'Resource' : kind, words, kind);
    if (typeof blob === 'string') return mediaPart(kind, blob);
  }
  return jsonPart(typeof type === 'string' ? type : 'Unknown', JSON.stringify(block));
}

/** Many tools return JSON as text. */
function textPart(title: string, text: string, mimeType: string): SaidPart {
  const isJson = /^\s*[[{]/.test(text) && parsed(text) !== undefined;
  return isJson ? jsonPart(title, text) : { title, kind: 'text', mimeType, text, original: text };
}

function jsonPart(title: string, json: string): SaidPart {
  return { title, kind: 'json', mimeType: 'application/json', text: prettyJson(json), original: json };
}

function mediaPart(mimeType: string, base64: string): SaidPart {
  const [kind] = mimeType.split('/');
  const title = mimeType === '' ? 'Data' : mimeType;
  return {
    title,
    kind: kind === 'image' || kind === 'audio' ? kind : 'binary',
    mimeType,
    text: base64,
    original: base64,
  };
}

function rawPart(text: string): SaidPart {
  return { title: 'Raw', kind: 'text', mimeType: 'text/plain', text, original: text };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
