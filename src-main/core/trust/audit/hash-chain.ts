/**
 * One record as a line, and how lines hang together: each holds the hash of the one before it and its own, which covers
 * that and all else that stands before it in the line.
 *
 *   {"seq":7,"at":1767225600000,"prev":"<hash of 6>", …,"hash":"<SHA-256 of the line up to here>"}
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
  /** With its line feed. */
  readonly text: string;
}

/** The hash before the first record. */
export const genesisLink: ChainLink = { seq: 0, hash: 'A'.repeat(43) };

/** Maximum number of records without a signed head among them: more mean that heads were removed. */
export const maxUnsigned = 256;

/** No line is longer, in bytes: the texts of an entry are bounded. */
export const maxLineBytes = 64 * 1024;

export function createLine(before: ChainLink, at: number, entry: AuditEntry | LogMetaEntry): ChainedLine {
  const seq = before.seq + 1;
  return finish(seq, `${start(seq, at, before)},${JSON.stringify(entry).slice(1, -1)}`);
}

/** A head is a record like others, with a signature over what stands before that. */
export function createHead(before: ChainLink, at: number, keys: AuditKeys): ChainedLine {
  const seq = before.seq + 1;
  const signed = `${start(seq, at, before)},"kind":"head","key":"${keys.publicKey}"`;
  return finish(seq, `${signed},"sig":"${keys.sign(signed)}"`);
}

export interface ParsedLine extends ChainLink {
  /** The predecessor's hash as the line states it. */
  readonly prev: string;
  /** The hash as its content has it. */
  readonly computed: string;
  readonly at: number;
  readonly text: string;
}

/** A line without its line feed; undefined for what has not the shape of one. */
export function parseLine(text: string): ParsedLine | undefined {
  const [, seq, at, prev] = lineStart.exec(text) ?? [];
  const [, own] = lineEnd.exec(text.slice(-tailLength)) ?? [];
  if (seq === undefined || prev === undefined || own === undefined) return undefined;
  const computed = hash('sha256', text.slice(0, -tailLength), 'base64url');
  return { seq: Number(seq), at: Number(at), prev, hash: own, computed, text };
}

/** The head in a line; undefined if it is none. */
export function parseHead(
  text: string,
): { readonly signed: string; readonly key: string; readonly sig: string } | undefined {
  const [, signed, key, sig] = headShape.exec(text) ?? [];
  return signed === undefined || key === undefined || sig === undefined ? undefined : { signed, key, sig };
}

/** Parses a line; undefined if it is no record. */
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
