/** The rest of a text of which a panel has the beginning: of a call, or of a step. */
import type { PayloadSide, PayloadText } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';

/** What follows on one side from there on, in characters. Rejects as the question to the core does. */
export type ReadOn = (side: PayloadSide, from: number) => Promise<PayloadText>;

export function readOnInCall(id: number): ReadOn {
  return (side, from) => api.ask('callPayload', { id, side, from });
}

/** What servers sent for a step stands with its calls: a step has the two other sides. */
export function readOnInStep(id: number): ReadOn {
  return (side, from) => api.ask('stepPayload', { id, side: side === 'request' ? 'request' : 'modelResult', from });
}
