/**
 * Answers what is asked about the texts of calls, in the thread that keeps them, or in the core's own where a thread is
 * not worth while.
 */
import { Masker } from '../../base/mask.ts';
import {
  type PayloadRow,
  payloadSides,
  type PayloadSideRead,
  type PayloadRead,
  type PayloadSideInput,
  type PayloadRange,
  type PayloadResponse,
  type TextsFailure,
  type PayloadRequest,
} from './payload-messages.ts';
import type { PayloadTexts } from './pack-payloads.ts';
import { PayloadTable } from './payload-table.ts';

export class PayloadHandlers {
  readonly #table: PayloadTable;
  readonly #rest: () => void;
  #aside: string | undefined;

  /** Opens nothing yet. `rest` is called between the texts that are put. */
  constructor(file: string, rest: () => void = () => undefined) {
    this.#rest = rest;
    this.#table = new PayloadTable(file, (aside) => (this.#aside = aside), rest);
  }

  /** Never throws: what went wrong is in the answer. */
  handle(question: PayloadRequest): PayloadResponse {
    const { number } = question;
    let told: PayloadResponse;
    try {
      told = { number, ...this.#told(question) };
    } catch (error) {
      told = { number, failure: failureOf(error) };
    }
    const aside = this.#aside;
    this.#aside = undefined;
    return aside === undefined ? told : { ...told, aside };
  }

  #told(question: PayloadRequest): Omit<PayloadResponse, 'number'> {
    const now = Date.now();
    if (question.kind === 'put') {
      const masker = Masker.fromMatchers(question.known);
      const calls = question.calls.map((call) => {
        this.#rest();
        return { ...call, texts: maskSides(call.sides, masker) };
      });
      this.#table.insert(calls, question.limits, now);
    } else if (question.kind === 'find') {
      const { id, startedAt, limits } = question;
      const texts = this.#table.find(id, startedAt, limits, now);
      if (texts !== undefined) return { found: readSides(texts, question.range, Masker.fromMatchers(question.known)) };
      return { neverWritten: !this.#table.wasDeleted(startedAt, limits, now) };
    } else if (question.kind === 'search') {
      return this.#table.search(question.text, question.limit, question.limits, now);
    } else if (question.kind === 'prune') this.#table.prune(question.limits, now);
    else if (question.kind === 'forget') this.#table.forget();
    else this.#table.close();
    return {};
  }
}

function failureOf(error: unknown): TextsFailure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, code, errcode, path } = error as Error & Partial<TextsFailure>;
  return {
    message,
    ...(typeof code === 'string' && { code }),
    ...(typeof errcode === 'number' && { errcode }),
    ...(typeof path === 'string' && { path }),
  };
}

function maskSides(sides: PayloadRow['sides'], masker: Masker): PayloadTexts {
  const masked = (side: PayloadSideInput): PayloadTexts['asked'] => {
    if ('none' in side) return side;
    const text = typeof side.text === 'string' ? side.text : Buffer.from(side.text).toString('utf8');
    return { text: masker.maskText(text) };
  };
  return { asked: masked(sides.asked), sent: masked(sides.sent), given: masked(sides.given) };
}

/** Masked once more, as a whole: what came into the config since is no reader's business either. */
function readSides(texts: PayloadTexts, { sides, from, length }: PayloadRange, masker: Masker): PayloadRead {
  const read = (side: PayloadTexts['asked']): PayloadSideRead =>
    'none' in side ? side : part(masker.maskText(side.text), from, length);
  return Object.fromEntries(
    payloadSides.filter((side) => sides.includes(side)).map((side) => [side, read(texts[side])]),
  );
}

/** Ends in no half of a character. */
function part(text: string, from: number, length: number): PayloadSideRead {
  const end = from + length;
  if (end >= text.length) return { text: text.slice(from), next: undefined };
  const next = /[\udc00-\udfff]/.test(text[end] ?? '') && length > 1 ? end - 1 : end;
  return { text: text.slice(from, next), next };
}
