/** Hands a finished call to the ledger, under the request that it ran for. */
import type { FinishedCall } from './finished-call.ts';

/** A call of the command line runs for no request and is in no ledger. */
export function tellLedger({ request, context, tool, result, given }: FinishedCall): void {
  context.exchange?.called({
    server: tool?.server ?? request.server ?? '',
    tool: tool?.name ?? request.tool,
    via: request.via,
    result,
    given,
  });
}
