/** Restores a recorded call for its view: the full arguments and the server's result. */
import type { CallDetail, PayloadSide } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';
import { count } from '../../lib/format.ts';
import { isRecord } from '../../lib/record.ts';
import type { ShownCall } from './host-bridge.ts';

/** Maximum length in characters. */
const longest = 8 * 1024 * 1024;

/** The call, or why it cannot be shown. Rejects with ApiError. */
export async function shownCall(
  call: CallDetail,
  signal: AbortSignal,
): Promise<{ readonly call: ShownCall } | { readonly none: string }> {
  const args = (await wholeText(call, 'request', signal)) ?? '{}';
  const parsedArguments = parsed(args);
  const shown = isRecord(parsedArguments) ? parsedArguments : {};
  if (call.outcome !== 'ok' && call.outcome !== 'tool_error')
    return { call: { arguments: shown, outcome: { cancelled: call.error ?? 'The call did not complete.' } } };
  const { serverResult } = call.payloads;
  const isStored = 'none' in serverResult && serverResult.none === 'spilled' && call.spillId !== undefined;
  if (isStored)
    return { call: { arguments: shown, outcome: { result: await spilledResult(call.spillId ?? '', signal) } } };
  const text = await wholeText(call, 'serverResult', signal);
  if (text === undefined)
    return { none: 'The server result was not recorded or has expired, so there is nothing to show.' };
  const result = parsed(text);
  if (!isRecord(result)) return { none: `The server result is larger than ${count(longest, 'character')}.` };
  return { call: { arguments: shown, outcome: { result } } };
}

/** undefined if not recorded. Only the beginning if it is too long. */
async function wholeText(call: CallDetail, side: PayloadSide, signal: AbortSignal): Promise<string | undefined> {
  let page = call.payloads[side];
  let text = '';
  while (!('none' in page)) {
    text += page.text;
    if (page.next === undefined || text.length > longest) return text;
    page = await api.ask('callPayload', { id: call.id, side, from: page.next }, signal);
  }
  return text === '' ? undefined : text;
}

/** A spilled result contains only the text or data, without the surrounding result. */
async function spilledResult(id: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  const text = (await (await api.readSpill(id, signal)).text()).slice(0, longest);
  const data = parsed(text);
  return { content: [{ type: 'text', text }], ...(isRecord(data) && { structuredContent: data }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
