/**
 * One record as a line of a hash chain: each line contains the hash of its predecessor, and a hash of its own that
 * covers
 * everything before it in the line.
 *
 * {"seq":7,"at":1767225600000,"prev":"<hash of 6>", …,"hash":"<SHA-256 of the line up to here>"}
 */
import { hash } from 'node:crypto';
import { isObject, parseJson } from '../../base/json.ts';
import { type AuditEntry, auditKinds, type AuditRecord, type LogMetaEntry } from './audit-entries.ts';
import type { AuditKeys } from './audit-keys.ts';

/** The end of a chain: its last record's number and hash. */
export interface ChainLink {
  readonly seq: number;
  readonly hash: string;
}

export interface ChainedLine extends ChainLink {
  /** Includes the line feed. */
  readonly text: string;
}

/** The hash before the first record. */
export const genesisLink: ChainLink = { seq: 0, hash: 'A'.repeat(43) };

/** Maximum length of a line, in bytes; the texts of an entry are bounded. */
export const maxUnsigned = 256;

/** No line is longer, in bytes: the texts of an entry are bounded. */
export const maxLineBytes = 64 * 1024;

export function createLine(before: ChainLink, at: number, entry: AuditEntry | LogMetaEntry): ChainedLine {
  const seq = before.seq + 1;
  return finish(seq, `${start(seq, at, before)},${JSON.stringify(entry).slice(1, -1)}`);
}

/** A head is a record with a signature over the rest of its line. */
export function createHead(before: ChainLink, at: number, keys: AuditKeys): ChainedLine {
  const seq = before.seq + 1;
  const signed = `${start(seq, at, before)},"kind":"head","key":"${keys.publicKey}"`;
  return finish(seq, `${signed},"sig":"${keys.sign(signed)}"`);
}

export interface ParsedLine extends ChainLink {
  /** The predecessor's hash as stated in the line. */
  readonly prev: string;
  /** The hash computed from the content. */
  readonly computed: string;
  readonly at: number;
  readonly text: string;
}

/** Parses a line without its line feed; undefined if it is malformed. */
export function parseLine(text: string): ParsedLine | undefined {
  const [, seq, at, prev] = lineStart.exec(text) ?? [];
  const [, own] = lineEnd.exec(text.slice(-tailLength)) ?? [];
  if (seq === undefined || prev === undefined || own === undefined) return undefined;
  const computed = hash('sha256', text.slice(0, -tailLength), 'base64url');
  return { seq: Number(seq), at: Number(at), prev, hash: own, computed, text };
}

/** The head in a line; undefined if the record is of another kind. */
export function parseHead(
  text: string,
): { readonly signed: string; readonly key: string; readonly sig: string } | undefined {
  const [, signed, key, sig] = headShape.exec(text) ?? [];
  return signed === undefined || key === undefined || sig === undefined ? undefined : { signed, key, sig };
}

/** Parses a line; undefined if it is not a record. */
export function parseRecord(text: string): AuditRecord | undefined {
  try {
    const value = parseJson(text);
    if (!isObject(value) || !auditKinds.some((kind) => kind === value['kind'])) return undefined;
    const { prev: _prev, hash: _hash, ...record } = value;
    return record as unknown as AuditRecord;
  } catch {
    return undefined;
  }
}

const lineStart = /^\{"seq":(\d{1,15}),"at":(\d{1,15}),"prev":"([\w-]{43})",/;
const tailLength = ',"hash":""}'.length + 43;
const lineEnd = /^,"hash":"([\w-]{43})"\}$/;
const headShape = /^(\{"seq":\d+,"at":\d+,"prev":"[\w-]{43}","kind":"head","key":"([\w-]{43})"),"sig":"([\w-]{86})",/;

function start(seq: number, at: number, { hash: prev }: ChainLink): string {
  return `{"seq":${seq},"at":${at},"prev":"${prev}"`;
}

function finish(seq: number, body: string): ChainedLine {
  const own = hash('sha256', body, 'base64url');
  return { seq, hash: own, text: `${body},"hash":"${own}"}\n` };
}
