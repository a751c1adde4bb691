/** What reads a value out of bytes that come in pieces. */

export interface Consumer {
  /** Takes bytes from `start`; answers where it stopped: at `end`, or behind its value. Throws Malformed. */
  push(bytes: Uint8Array, start: number, end: number): number;
  /** The value was read to its end. */
  readonly done: boolean;
}

/** Takes bytes that belong together. */
export interface ByteTarget {
  push(bytes: Uint8Array, start: number, end: number): void;
}

/** What came is no JSON. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** More bytes would be written than may be kept. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}
