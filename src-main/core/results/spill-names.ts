/** Names of kept files: readable for people, unguessable for everybody else. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/** 32 letters and digits that cannot be taken for each other, alike in every case. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
/** Of 5 bits each: 100 bits. */
const idLength = 20;
const longestSlug = 24;

const idPattern = /^[a-km-np-z2-9]{20}$/;
const filePattern = /^([A-Za-z0-9_]+)-([A-Za-z0-9_-]+)-([a-km-np-z2-9]{20})\.([a-z0-9]{1,5})$/;
const draftPattern = /^\.[a-km-np-z2-9]{20}\.(\d+)-m?\d+\.tmp$/;

export interface SpillName {
  readonly server: string;
  readonly tool: string;
  readonly id: string;
  readonly extension: string;
}

export function newSpillId(): string {
  return Array.from(randomBytes(idLength), (byte) => alphabet[byte & 31]).join('');
}

export function isSpillId(text: string): boolean {
  return idPattern.test(text);
}

export function spillFileName({ server, tool, id, extension }: SpillName): string {
  return `${slug(server).replaceAll('-', '_')}-${slug(tool)}-${id}.${extension}`;
}

/** undefined for a name that is none of ours. */
export function readSpillFileName(name: string): SpillName | undefined {
  const [, server, tool, id, extension] = filePattern.exec(name) ?? [];
  if (server === undefined || tool === undefined || id === undefined || extension === undefined) return undefined;
  return { server, tool, id, extension };
}

/** What the names of one answer's unfinished files begin with; the process's id tells whether somebody still writes them. */
export function draftStem(folder: string): string {
  return join(folder, `.${newSpillId()}.${process.pid}`);
}

/** The process that writes the unfinished file; undefined for a name that is no such file's. */
export function draftWriter(name: string): number | undefined {
  const [, writer] = draftPattern.exec(name) ?? [];
  return writer === undefined ? undefined : Number(writer);
}

function slug(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9_]+/g, '-').slice(0, longestSlug);
  return plain.replace(/^-+|-+$/g, '') || 'x';
}
