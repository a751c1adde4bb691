/** The functions of this folder as one text for the VM: a function from the host to the GuestApi. */
import { guestCalls } from './guest-calls.ts';
import { guestGlobals } from './guest-globals.ts';
import { guestHostCalls } from './guest-host-calls.ts';
import { guestResults } from './guest-results.ts';
import { guestValues } from './guest-values.ts';

/** Evaluates to `(host, blocking, input, helpers) => GuestApi`. */
export function guestSource(): string {
  return `((host, blocking, input, helpers) => {
    const values = (${guestValues.toString()})();
    const results = (${guestResults.toString()})(values);
    const questions = (${guestHostCalls.toString()})(host, blocking);
    const calls = (${guestCalls.toString()})({ questions, values, results, blocking });
    return (${guestGlobals.toString()})({ host, questions, values, calls, blocking, input, helpers });
  })`;
}
