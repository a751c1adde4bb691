/**
 * Lines of a text of any length, loaded in chunks when visible, with a limited cache. Independent of the page: emits
 * changes.
 */
import type { RpcFailure, SpillLines } from '../../../src-main/rpc/contract.ts';

export interface LineCacheOptions {
  readonly ask: (fromLine: number, count: number, signal: AbortSignal) => Promise<SpillLines>;
  readonly toFailure: (error: unknown) => RpcFailure;
  readonly onchange: () => void;
}

/** Lines per chunk, and maximum number of cached chunks. */
const stretchLength = 400;
const maxBlocks = 60;

interface Stretch {
  readonly lines: readonly string[];
  readonly cut: ReadonlySet<number>;
}

export class LineCache {
  totalLines: number;
  failure: RpcFailure | undefined;
  readonly #options: LineCacheOptions;
  /** By number; least recently used first. */
  readonly #stretches = new Map<number, Stretch>();
  #wanted: readonly number[] = [];
  #line: AbortController | undefined;

  constructor(totalLines: number, options: LineCacheOptions) {
    this.totalLines = totalLines;
    this.#options = options;
  }

  /** Line `line` (1-based); undefined: not loaded yet. */
  lineAt(line: number): { readonly text: string; readonly isCut: boolean } | undefined {
    const number = Math.floor((line - 1) / stretchLength);
    const stretch = this.#stretches.get(number);
    const text = stretch?.lines[line - 1 - number * stretchLength];
    return text === undefined ? undefined : { text, isCut: stretch?.cut.has(line) ?? false };
  }

  /** Lines from `first` to `end` (1-based, exclusive) are visible; earlier requests are cancelled. */
  async look(first: number, end: number): Promise<void> {
    const [from, to] = [first, Math.max(first, end - 1)].map((line) => Math.floor((line - 1) / stretchLength));
    this.#wanted = Array.from({ length: (to ?? 0) - (from ?? 0) + 1 }, (_, index) => (from ?? 0) + index);
    for (const number of this.#wanted) this.#touch(number);
    if (this.#line !== undefined) return;
    const line = new AbortController();
    this.#line = line;
    this.failure = undefined;
    for (let next = this.#missing(); next !== undefined; next = this.#missing()) {
      if (!(await this.#read(next, line.signal))) break;
    }
    if (this.#line === line) this.#line = undefined;
  }

  close(): void {
    this.#wanted = [];
    this.#line?.abort();
    this.#line = undefined;
  }

  #missing(): number | undefined {
    return this.#wanted.find((number) => !this.#stretches.has(number));
  }

  async #read(number: number, signal: AbortSignal): Promise<boolean> {
    try {
      this.#keep(number, await this.#stretch(number, signal));
    } catch (error) {
      if (signal.aborted) return false;
      this.failure = this.#options.toFailure(error);
    }
    this.#options.onchange();
    return this.failure === undefined;
  }

  /** Long lines are returned a few at a time. */
  async #stretch(number: number, signal: AbortSignal): Promise<Stretch> {
    const first = number * stretchLength + 1;
    const lines: string[] = [];
    const cut = new Set<number>();
    for (;;) {
      const page = await this.#options.ask(first + lines.length, stretchLength - lines.length, signal);
      signal.throwIfAborted();
      this.totalLines = page.totalLines;
      lines.push(...page.lines);
      for (const line of page.cut) cut.add(line);
      const isWhole = lines.length >= stretchLength || first + lines.length > page.totalLines;
      if (isWhole || page.lines.length === 0) return { lines, cut };
    }
  }

  #touch(number: number): void {
    const stretch = this.#stretches.get(number);
    if (stretch !== undefined) this.#keep(number, stretch);
  }

  #keep(number: number, stretch: Stretch): void {
    this.#stretches.delete(number);
    this.#stretches.set(number, stretch);
    const [oldest] = this.#stretches.keys();
    if (this.#stretches.size > maxBlocks && oldest !== undefined) this.#stretches.delete(oldest);
  }
}
