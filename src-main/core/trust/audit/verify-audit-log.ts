/**
 * Verifies the whole log record by record, as a stream, so that memory use does not depend on its length. The limits
 * of the proof are part of the result.
 */
import type { AuditLog, SignedHead } from './audit-log.ts';
import {
  parseHead,
  type ChainLink,
  maxUnsigned,
  genesisLink,
  parseLine,
  type ParsedLine,
  parseRecord,
} from './hash-chain.ts';
import { isSigned } from './audit-keys.ts';

export interface IntegrityFinding {
  /** The record concerned, or the first of several. */
  readonly seq: number;
  readonly what: 'changed' | 'missing' | 'misplaced' | 'doubled' | 'foreign' | 'unsigned' | 'badly signed' | 'cut';
  readonly sentence: string;
}

export interface Verification {
  /** Whether no fault was found. */
  readonly holds: boolean;
  readonly records: number;
  /** Numbers of the first and last record; 0: the log is empty. */
  readonly first: number;
  readonly last: number;
  /** ms since 1970. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** The last signed head. A copy stored elsewhere can be compared with the log later. */
  readonly head: SignedHead | undefined;
  /** Number of records after that head; the next one signs them. */
  readonly unsigned: number;
  /** Public keys of the signatures in order of first use, in base64url. */
  readonly keys: readonly string[];
  /** The first hundred, by record. */
  readonly findings: readonly IntegrityFinding[];
  /** The total number. */
  readonly found: number;
  /** Remarks that are not findings. */
  readonly notes: readonly string[];
  /** Limits of the proof. */
  readonly limits: readonly string[];
}

export interface VerifyOptions {
  readonly log: AuditLog;
  /** How findings name the current key; `the key of this home` by default. */
  readonly keyName?: string;
  /** The current public key; undefined: it is missing. */
  readonly ownKey: string | undefined;
  /** Further public keys that may sign now, while a team changes its key. */
  readonly otherKeys?: readonly string[] | undefined;
  /** Whether the key exists but is unavailable now. */
  readonly isLocked?: boolean;
  /** A head that was stored elsewhere. */
  readonly known?: ChainLink | undefined;
}

/** Limits of every verification, part of each result. */
const limits = [
  'Anyone who can write the log and has its key, or replaces the key, can rewrite the whole log. Only a head or an export that is stored elsewhere reveals that.',
  'Records after the last signed head are chained but not signed yet: removing or rewriting them leaves no trace.',
  'Events that were never recorded are not in the chain: up to half a second of calls if a process is killed, and everything that bypasses Tooltray.',
] as const;

const maxFindings = 100;
/** Maximum number of gaps that are tracked, because records may turn up elsewhere. */
const maxGaps = 1000;
/** Number of previous records whose hash is remembered. */
const hashWindow = 1024;

/** Rejects as `log.open` does. */
export async function verifyLog(options: VerifyOptions): Promise<Verification> {
  const { log, known } = options;
  // Read before the log, so that the log contains every head recorded meanwhile.
  const noted = await log.recordedHead();
  const open = await log.open();
  const check = new Check(options, [noted, known]);
  try {
    for (const [at, part] of open.parts.entries()) {
      check.beginFile(part.first);
      for await (const { text, isTorn } of part.lines()) {
        if (isTorn && at === open.parts.length - 1) check.torn(text.length);
        else check.line(text);
      }
    }
  } finally {
    await open.close();
  }
  return check.end(noted, known);
}

class Check {
  readonly #ownKey: string | undefined;
  readonly #otherKeys: ReadonlySet<string>;
  /** Keys that signed before the current one, whose writers may have gone on while it was introduced. */
  readonly #earlierKeys = new Set<string>();
  readonly #isLocked: boolean;
  readonly #keyName: string;
  /** Records whose hash is known from another source. */
  readonly #wanted: ReadonlyMap<number, Set<string>>;
  readonly #findings: IntegrityFinding[] = [];
  #found = 0;
  readonly #notes: string[] = [];
  readonly #keys = new Set<string>();
  #lastKey: string | undefined;
  /** Hashes of the last records, by number. */
  readonly #hashes = new Map<number, { readonly hash: string; readonly computed: string; readonly prev: string }>();
  /** Skipped numbers that may come later; both ends included. */
  #gaps: { readonly from: number; readonly to: number }[] = [];
  #records = 0;
  #first = 0;
  #last = 0;
  #since: number | undefined;
  #until: number | undefined;
  #head: SignedHead | undefined;
  #unsigned = 0;
  /** Number of malformed or changed lines since the last valid one. */
  #spoilt = 0;
  #trimmedTo = 0;
  #isFileStart = false;

  constructor(
    { ownKey, otherKeys = [], isLocked = false, keyName = 'the key of this home' }: VerifyOptions,
    known: readonly (ChainLink | undefined)[],
  ) {
    this.#ownKey = ownKey;
    this.#otherKeys = new Set(otherKeys);
    this.#isLocked = isLocked;
    this.#keyName = keyName;
    const wanted = new Map<number, Set<string>>();
    for (const one of known) if (one) wanted.set(one.seq, (wanted.get(one.seq) ?? new Set()).add(one.hash));
    this.#wanted = wanted;
  }

  beginFile(first: number): void {
    this.#isFileStart = true;
    if (this.#records === 0 && this.#spoilt === 0) this.#last = first - 1;
  }

  torn(length: number): void {
    this.#notes.push(
      `The last line is incomplete (${length} characters): a process was killed while writing it, or is still writing it. The next start removes it.`,
    );
  }

  line(text: string): void {
    const line = parseLine(text);
    // If a line does not match its own hash, nothing in it can be trusted, including its number.
    if (line === undefined || line.hash !== line.computed) {
      this.#spoil(line);
      return;
    }
    this.#records++;
    this.#until = line.at;
    this.#since ??= line.at;
    this.#first = this.#first === 0 ? line.seq : Math.min(this.#first, line.seq);
    const isLate = line.seq <= this.#last;
    if (isLate) this.#late(line);
    else this.#next(line);
    this.#link(line, isLate);
    this.#sign(line);
    this.#isFileStart = false;
  }

  end(noted: SignedHead | undefined, known: ChainLink | undefined): Verification {
    if (this.#spoilt > 0) this.#tellSpoilt(this.#last + this.#spoilt + 1);
    for (const gap of this.#gaps) this.#tellMissing(gap);
    this.#tellStart();
    this.#tellCut(noted, 'was signed as the last one, but it and any later records are missing');
    this.#tellCut(known, 'is known from elsewhere, but is missing');
    if (this.#unsigned === 1) this.#notes.push('The last record is not signed yet.');
    if (this.#unsigned > 1) this.#notes.push(`The last ${this.#unsigned} records are not signed yet.`);
    this.#tellKeys();
    return {
      holds: this.#found === 0,
      records: this.#records,
      first: this.#first,
      last: this.#last,
      since: this.#since,
      until: this.#until,
      head: this.#head,
      unsigned: this.#unsigned,
      keys: [...this.#keys],
      findings: this.#findings.toSorted((one, other) => one.seq - other.seq),
      found: this.#found,
      notes: this.#notes,
      limits,
    };
  }

  #spoil(line: ParsedLine | undefined): void {
    this.#spoilt++;
    // It may have been a head; the damage is reported already.
    this.#unsigned = 0;
    this.#isFileStart = false;
    // The next line was written after the hash that is stated here.
    if (line !== undefined) this.#hashes.set(this.#last + this.#spoilt, line);
  }

  #next({ seq }: ParsedLine): void {
    if (this.#spoilt > 0) this.#tellSpoilt(seq);
    if (seq > this.#last + 1) {
      this.#unsigned = 0;
      this.#gaps.push({ from: this.#last + 1, to: seq - 1 });
      if (this.#gaps.length > maxGaps) this.#tellMissing(this.#gaps.shift());
    }
    this.#last = seq;
  }

  /** Reports damaged lines before `seq`: they account for that many of the missing numbers. */
  #tellSpoilt(seq: number): void {
    const from = this.#last + 1;
    const available = seq - from;
    for (let at = 0; at < Math.min(available, this.#spoilt); at++)
      this.#tell('changed', from + at, `Record ${from + at} was changed.`);
    if (available < this.#spoilt)
      this.#tell('foreign', from, `Between records ${this.#last} and ${seq} is a line that is not a record.`);
    this.#last += Math.min(available, this.#spoilt);
    this.#spoilt = 0;
  }

  #late({ seq }: ParsedLine): void {
    const gap = this.#gaps.find(({ from, to }) => seq >= from && seq <= to);
    if (gap !== undefined) {
      const parts = [
        { from: gap.from, to: seq - 1 },
        { from: seq + 1, to: gap.to },
      ];
      this.#gaps = this.#gaps.flatMap((one) => (one === gap ? parts.filter(({ from, to }) => from <= to) : [one]));
      this.#tell('misplaced', seq, `Record ${seq} comes after record ${this.#last}: they were swapped.`);
    } else this.#tell('doubled', seq, `Record ${seq} occurs again after record ${this.#last}.`);
  }

  /** Checks whether the record was written after its predecessor. */
  #link({ seq, hash, computed, prev }: ParsedLine, isLate: boolean): void {
    const before = seq === 1 ? { hash: genesisLink.hash, computed: genesisLink.hash } : this.#hashes.get(seq - 1);
    if (before !== undefined && prev !== before.hash && prev !== before.computed)
      this.#tell(
        'changed',
        seq - 1,
        `Record ${seq - 1} was replaced: record ${seq} was written after a different one.`,
      );
    const behind = isLate ? this.#hashes.get(seq + 1) : undefined;
    if (behind !== undefined && behind.prev !== hash)
      this.#tell('changed', seq, `Record ${seq} was replaced: record ${seq + 1} was written after a different one.`);
    for (const wanted of this.#wanted.get(seq) ?? [])
      if (wanted !== hash) this.#tell('changed', seq, `Record ${seq} differs from the one that was signed as a head.`);
    this.#hashes.set(seq, { hash, computed, prev });
    if (this.#hashes.size <= hashWindow) return;
    const [oldest] = this.#hashes.keys();
    if (oldest !== undefined) this.#hashes.delete(oldest);
  }

  #sign({ seq, at, hash, text }: ParsedLine): void {
    const head = parseHead(text);
    if (head === undefined) {
      if (this.#isFileStart)
        this.#tell('foreign', seq, `A file begins with record ${seq}, which is not a signed head.`);
      if (text.includes('"kind":"trimmed"') || text.includes('"kind":"cut"')) this.#readOwn(text);
      this.#unsigned++;
      if (this.#unsigned === maxUnsigned + 1)
        this.#tell('unsigned', seq, `No head signs the ${maxUnsigned} records before record ${seq}.`);
      return;
    }
    const isStarted = this.#keys.has(this.#ownKey ?? '');
    if (!isStarted && head.key !== this.#ownKey) this.#earlierKeys.add(head.key);
    else if (!this.#isKnown(head.key))
      this.#tell('badly signed', seq, `Head ${seq} is not signed with ${this.#keyName}.`);
    this.#lastKey = head.key;
    this.#keys.add(head.key);
    if (!isSigned(head.signed, head.sig, head.key))
      this.#tell('badly signed', seq, `The signature of head ${seq} is invalid.`);
    this.#unsigned = 0;
    this.#head = { seq, at, hash };
  }

  #isKnown(key: string): boolean {
    return key === this.#ownKey || this.#otherKeys.has(key) || this.#earlierKeys.has(key);
  }

  #readOwn(text: string): void {
    const record = parseRecord(text);
    if (record?.kind === 'trimmed') this.#trimmedTo = record.to;
    if (record?.kind !== 'cut') return;
    const sentence = `At the start at ${new Date(record.at).toISOString()}, records up to ${record.to} were signed, but were missing.`;
    this.#tell('cut', record.seq, sentence);
  }

  #tellMissing(gap: { readonly from: number; readonly to: number } | undefined): void {
    if (gap === undefined) return;
    const { from, to } = gap;
    this.#tell('missing', from, from === to ? `Record ${from} is missing.` : `Records ${from} to ${to} are missing.`);
  }

  /** Reports whether records missing at the start were removed by retention or by another program. */
  #tellStart(): void {
    if (this.#first <= 1) return;
    if (this.#first > this.#trimmedTo + 1) this.#tellMissing({ from: this.#trimmedTo + 1, to: this.#first - 1 });
    else this.#notes.push(`Records up to ${this.#first - 1} were deleted to free space; the deletion is recorded.`);
  }

  /** Reports changes of the key. A key found by a later one was replaced; after the current one, there is none. */
  #tellKeys(): void {
    if (this.#head === undefined) return;
    const { seq } = this.#head;
    const others = [...this.#keys].filter((key) => key !== this.#ownKey);
    if (this.#isLocked) this.#notes.push('The vault is locked, so the signing keys cannot be checked.');
    else if (this.#ownKey === undefined)
      this.#tell('badly signed', seq, 'The key of this home is missing, so the signing keys cannot be checked.');
    else if (!this.#keys.has(this.#ownKey)) this.#tell('badly signed', seq, `No head is signed with ${this.#keyName}.`);
    else if (this.#lastKey !== this.#ownKey && !this.#otherKeys.has(this.#lastKey ?? ''))
      this.#tell('badly signed', seq, `Head ${seq}, the last one, is not signed with ${this.#keyName}.`);
    else if (others.length > 0)
      this.#notes.push(`The first heads are signed with keys other than ${this.#keyName}: ${others.join(', ')}.`);
  }

  #tellCut(head: ChainLink | undefined, why: string): void {
    if (head !== undefined && head.seq > this.#last) this.#tell('cut', head.seq, `Record ${head.seq} ${why}.`);
  }

  #tell(what: IntegrityFinding['what'], seq: number, sentence: string): void {
    this.#found++;
    if (this.#findings.length < maxFindings) this.#findings.push({ seq, what, sentence });
  }
}
