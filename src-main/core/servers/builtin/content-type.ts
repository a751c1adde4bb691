/** What a file holds, by its first bytes: text and in which encoding, or which kind of binary. */

export type TextEncodingName = 'utf-8' | 'utf-16le' | 'utf-16be';

export type ContentType =
  | { readonly kind: 'text'; readonly encoding: TextEncodingName }
  | { readonly kind: 'binary'; readonly mimeType: string };

/** First bytes (as latin1) by type. */
const signatures: readonly (readonly [pattern: RegExp, mimeType: string])[] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
  [/^ID3/, 'audio/mpeg'],
  [/^OggS/, 'audio/ogg'],
  [/^%PDF-/, 'application/pdf'],
  [/^PK\x03\x04/, 'application/zip'],
  [/^\x1f\x8b/, 'application/gzip'],
];

/** `head`: the first few kilobytes. Bytes in an unknown encoding without a zero byte count as (damaged) UTF-8. */
export function contentType(head: Uint8Array): ContentType {
  if (head[0] === 0xff && head[1] === 0xfe) return { kind: 'text', encoding: 'utf-16le' };
  if (head[0] === 0xfe && head[1] === 0xff) return { kind: 'text', encoding: 'utf-16be' };
  const hasZero = head.includes(0);
  if (!hasZero && isUtf8Start(head)) return { kind: 'text', encoding: 'utf-8' };
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  const mimeType = signatures.find(([pattern]) => pattern.test(start))?.[1];
  if (mimeType !== undefined || hasZero) return { kind: 'binary', mimeType: mimeType ?? 'application/octet-stream' };
  return { kind: 'text', encoding: 'utf-8' };
}

/** Whether the bytes are UTF-8, the last character possibly cut off. */
function isUtf8Start(head: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
