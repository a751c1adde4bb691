/**
 * What was said in the last calls: arguments, what the server sent, what the model got. In memory only and bounded; the
 * database keeps sizes and times. It is there for the person who looks on, not for a record. Hardly one of many calls is
 * looked at, so a text is masked when it is read, and there is no other way to read it.
 */
import type { Masker } from '../base/mask.ts';

/** A text as it was said: all of it, or enough of its beginning. */
export interface SaidText {
  readonly start: string;
  /** Size of the whole (UTF-8). */
  readonly bytes: number;
}

interface CallTextsSaid {
  readonly arguments: SaidText;
  /** What the server answered; undefined where nothing came. */
  readonly sent: SaidText | undefined;
  /** What the model was given in its place; an error is one, too. undefined where it is what the server sent, or nothing. */
  readonly given: SaidText | undefined;
}

/** The same as they may be shown: masked, and begun where they are long. */
interface CallDetail {
  readonly arguments: string;
  readonly sent: string | undefined;
  readonly given: string | undefined;
}

interface Held extends CallTextsSaid {
  /** Knows the secrets of that time: one that has left the config since is still none of a reader's business. */
  readonly masker: Pick<Masker, 'maskText'>;
  readonly length: number;
  /** Of the call's record, once it is written. */
  id: number | undefined;
}

const mostCalls = 500;
/** Of one text, in characters. */
const longestText = 64 * 1024;
/** Held of a longer one besides, and never shown: a secret that the end cuts in two is not known for one. */
const spareText = 4096;
/** Of all texts together, in characters. */
const mostText = 32 * 1024 * 1024;
/** As much as is worth handing over, in characters or bytes. */
export const heldText = longestText + spareText;

export class CallDetails {
  readonly #masker: Pick<Masker, 'maskText' | 'snapshot'>;
  /** Oldest first. */
  readonly #held = new Set<Held>();
  readonly #byId = new Map<number, Held>();
  #length = 0;

  constructor(masker: Pick<Masker, 'maskText' | 'snapshot'>) {
    this.#masker = masker;
  }

  /** The returned function is to be told the id that the call's record gets. */
  hold(said: CallTextsSaid): (id: number) => void {
    const [args, sent, given] = [begun(said.arguments), said.sent && begun(said.sent), said.given && begun(said.given)];
    const length = args.start.length + (sent?.start.length ?? 0) + (given?.start.length ?? 0);
    const held: Held = { arguments: args, sent, given, masker: this.#masker.snapshot(), length, id: undefined };
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
    const held = this.#byId.get(id);
    if (held === undefined) return undefined;
    const shown = (text: SaidText): string =>
      shownText(text, (raw) => this.#masker.maskText(held.masker.maskText(raw)));
    return {
      arguments: shown(held.arguments),
      sent: held.sent && shown(held.sent),
      given: held.given && shown(held.given),
    };
  }

  #drop(held: Held): void {
    this.#held.delete(held);
    this.#length -= held.length;
    if (held.id !== undefined) this.#byId.delete(held.id);
  }
}

/** An object of its own: the one that was given may hold the whole answer. */
function begun({ start, bytes }: SaidText): SaidText {
  if (start.length <= heldText) return { start, bytes };
  // By way of bytes: a slice of a string would keep all of the string in memory.
  return { start: Buffer.from(start.slice(0, heldText)).toString(), bytes };
}

function shownText({ start, bytes }: SaidText, mask: (text: string) => string): string {
  const masked = mask(start);
  if (start.length <= longestText && Buffer.byteLength(start) >= bytes) return masked;
  const shown = Math.max(0, Math.min(longestText, start.length - spareText));
  const more = bytes - Buffer.byteLength(start.slice(0, shown));
  // Counted from the end: what is masked is shorter than it was.
  const cut = masked.slice(0, Math.max(0, Math.min(longestText, masked.length - spareText))).toWellFormed();
  return `${cut}\n[${more} more bytes]`;
}
