/** Payloads of calls to store, and what tests read back. */
import { createLog, type Log } from '../../../src-main/core/base/log.ts';
import { Masker } from '../../../src-main/core/base/mask.ts';
import {
  PayloadStore,
  type PayloadStoreOptions,
  type PayloadInput,
  type PayloadExcerpt,
  type PayloadSettings,
} from '../../../src-main/core/activity/call-payloads.ts';
import type { PayloadSide } from '../../../src-main/core/activity/payloads/payload-messages.ts';

/** Calls of these tests began in 1970. */
export const textLimits: PayloadSettings = {
  keep: true,
  keepDays: 100_000,
  maxBytes: 50_000_000,
  maxRows: 100_000,
  deleteAtExit: false,
};

export function silentLog(): Log {
  return createLog({ masker: new Masker(), level: 'error' });
}

export function said(text: string): PayloadInput {
  return { text, bytes: Buffer.byteLength(text) };
}

export function saidOf(sent: string): Record<PayloadSide, PayloadInput> {
  return { asked: said('{}'), sent: said(sent), given: 'same' };
}

export interface OpenTexts extends AsyncDisposable {
  readonly texts: PayloadStore;
  /** Stores them as call `id`, which started at that time. */
  keep(id: number, sides: Record<PayloadSide, PayloadInput>): void;
  /** The beginnings of all sides. */
  find(id: number, unkept?: 'off' | 'busy' | 'failed'): Promise<Partial<Record<PayloadSide, PayloadExcerpt>>>;
  /** The whole server result, read part by part; or the reason why there is none. */
  sent(id: number, length?: number): Promise<string>;
}

export function openTexts(file: string, options: Partial<PayloadStoreOptions> = {}): OpenTexts {
  const texts = new PayloadStore({
    file,
    masker: new Masker(),
    settings: () => textLimits,
    log: silentLog(),
    ...options,
  });
  const sides = ['asked', 'sent', 'given'] as const;
  return {
    texts,
    keep: (id, said) => {
      const held = texts.stage(said, id);
      if (typeof held !== 'function') throw new Error(`It is not held: ${held}`);
      held(id);
    },
    find: (id, unkept) => texts.find({ id, startedAt: id, unkept, sides, from: 0, length: 1000 }),
    sent: async (id, length = 1_000_000) => {
      let whole = '';
      for (let from: number | undefined = 0; from !== undefined;) {
        const found = await texts.find({ id, startedAt: id, unkept: undefined, sides: ['sent'], from, length });
        const part = found.sent ?? { none: 'gone' };
        if ('none' in part) return part.none;
        whole += part.text;
        from = part.next;
      }
      return whole;
    },
    [Symbol.asyncDispose]: () => texts.close(),
  };
}
