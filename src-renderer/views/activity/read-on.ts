/** Loads the rest of a payload of which the panel has the beginning: of a call or a step. */
import type { PayloadSide, PayloadText } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';

/** The next part of a payload from this offset, in characters. Rejects as the request does. */
export type ReadOn = (side: PayloadSide, from: number) => Promise<PayloadText>;

export function readOnInCall(id: number): ReadOn {
  return (side, from) => api.ask('callPayload', { id, side, from });
}

/** Servers' results are shown with a step's calls: the step itself has only the other two payloads. */
export function readOnInStep(id: number): ReadOn {
  return (side, from) => api.ask('stepPayload', { id, side: side === 'request' ? 'request' : 'modelResult', from });
}
