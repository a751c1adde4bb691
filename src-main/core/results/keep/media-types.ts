/** What a media type means for a kept file: its kind and its extension. */
import type { SpillKind } from '../spill.ts';

/** No extension that a computer would run or open as a program. */
const extensions: Readonly<Record<string, string>> = {
  'application/gzip': 'gz',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/xml': 'xml',
  'application/yaml': 'yaml',
  'application/zip': 'zip',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'weba',
  'audio/x-wav': 'wav',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/jpg': 'jpg',
  'image/png': 'png',
  'image/tiff': 'tiff',
  'image/webp': 'webp',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/tab-separated-values': 'tsv',
  'text/toon': 'toon',
  'text/xml': 'xml',
  'text/yaml': 'yaml',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

/** The type alone, as it may stand in an answer: `text/plain; charset=utf-8` is text/plain; undefined for what is none. */
export function plainMediaType(type: unknown): string | undefined {
  if (typeof type !== 'string' || type.length > 200) return undefined;
  const plain = type.split(';')[0]?.trim().toLowerCase() ?? '';
  return /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/.test(plain) ? plain : undefined;
}

/** `otherwise` for a type that is not in the table. */
export function extensionOf(type: string, otherwise: string): string {
  return extensions[type] ?? otherwise;
}

export function isTextKind(kind: SpillKind): boolean {
  return kind === 'text' || kind === 'json' || kind === 'toon';
}

/** The kind of a file in a folder of the person, by its extension; undefined where only a look inside tells. */
export function kindOfExtension(extension: string): SpillKind | undefined {
  const plain = extension.toLowerCase();
  if (plain === 'json' || plain === 'toon') return plain;
  const type = Object.keys(extensions).find((each) => extensions[each] === plain);
  if (type?.startsWith('text/') || plain === 'xml' || plain === 'yaml') return 'text';
  return type === undefined ? undefined : mediaKind(type);
}

/** The type of files with this extension. */
export function extensionMediaType(extension: string): string {
  return Object.keys(extensions).find((each) => extensions[each] === extension) ?? 'application/octet-stream';
}

/** The kind of bytes that are no text. */
export function mediaKind(type: string): 'image' | 'audio' | 'binary' {
  if (type.startsWith('image/')) return 'image';
  return type.startsWith('audio/') ? 'audio' : 'binary';
}
