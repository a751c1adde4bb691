/** The JSON-RPC messages in a tap's recording: lines, bodies, and event streams. */
import type { RawMessage } from '../../support/raw-client.ts';

export function readMessages(text: string): RawMessage[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/^data: ?/, ''))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as RawMessage);
}

/** Methods requested by the client app, without duplicates, in order. */
export function askedMethods(messages: readonly RawMessage[]): string[] {
  const methods = messages.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [method]));
  return [...new Set(methods)];
}

/** Names in the first tool list that the client app received, sorted; undefined if it received none. */
export function listedTools(messages: readonly RawMessage[]): string[] | undefined {
  const tools = messages.find(({ result }) => Array.isArray(result?.['tools']))?.result?.['tools'];
  return (tools as { name: string }[] | undefined)?.map(({ name }) => name).sort();
}
