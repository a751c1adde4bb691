/** What the host raises inside: a Python exception, with the code to report when nobody catches it. */
import type { Refusal } from '../worker-messages.ts';

export class Raise extends Error {
  /** A built-in exception of Python. */
  readonly type: string;
  readonly code: string;

  constructor(type: string, message: string, code: string) {
    super(message);
    this.type = type;
    this.code = code;
  }
}

export function raiseRefusal({ code, message }: Refusal): Raise {
  return new Raise('RuntimeError', message, code);
}
