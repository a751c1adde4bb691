/**
 * What was said in the last calls: arguments, what the server sent, what the model got. In memory only, masked and bounded;
 * the database keeps sizes and times. It is there for the person who looks on, not for a record.
 */
import type { Masker } from '../base/mask-secrets.ts';

export interface CallDetail {
  readonly arguments: string;
  /** What the server answered; undefined where nothing came. */
  readonly sent: string | undefined;
  /** What the model was given in its place; undefined where it is the same, or an error. */
  readonly given: string | undefined;
}

interface Held extends CallDetail {
  readonly length: number;
  /** Of the call's record, once it is written. */
  id: number | undefined;
}

const mostCalls = 500;
/** Of one text, in characters. */
const longestText = 64 * 1024;
/** Of all texts together, in characters. */
const mostText = 32 * 1024 * 1024;

export class CallDetails {
  readonly #masker: Pick<Masker, 'maskText'>;
  /** Oldest first. */
  readonly #held = new Set<Held>();
  readonly #byId = new Map<number, Held>();
  #length = 0;

  constructor(masker: Pick<Masker, 'maskText'>) {
    this.#masker = masker;
  }

  /** The returned function is to be told the id that the call's record gets. */
  hold(detail: CallDetail): (id: number) => void {
    const args = this.#shown(detail.arguments) ?? '';
    const [sent, given] = [this.#shown(detail.sent), this.#shown(detail.given)];
    const length = args.length + (sent?.length ?? 0) + (given?.length ?? 0);
    const held: Held = { arguments: args, sent, given, length, id: undefined };
    this.#held.add(held);
    this.#length += length;
    for (const oldest of this.#held) {
      if (this.#held.size <= mostCalls && this.#length <= mostText) break;
      this.#drop(oldest);
    }
    return (id) => {
      held.id = id;
      if (this.#held.has(held)) this.#byId.set(id, held);
    };
  }

  /** undefined: it was let go, or belongs to an earlier run. */
  find(id: number): CallDetail | undefined {
    return this.#byId.get(id);
  }

  #drop(held: Held): void {
    this.#held.delete(held);
    this.#length -= held.length;
    if (held.id !== undefined) this.#byId.delete(held.id);
  }

  /** Cut before it is masked: masking takes time with the length. */
  #shown(text: string | undefined): string | undefined {
    if (text === undefined || text.length <= longestText) return text && this.#masker.maskText(text);
    const start = this.#masker.maskText(text.slice(0, longestText).toWellFormed());
    return `${start}\n[${text.length - longestText} more characters]`;
  }
}
