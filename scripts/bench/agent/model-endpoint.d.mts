/** Types of model-endpoint.mjs, for its test. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: Record<string, unknown> }[];
  readonly usage: { readonly input: number; readonly output: number };
}
export interface Endpoint {
  readonly model: string;
  next(conversation: { system: string; messages: readonly object[]; tools: readonly object[] }): Promise<Turn>;
}
export function openEndpoint(
  provider: string | undefined,
  options?: { url?: string; keyVariable?: string; env?: Record<string, string | undefined> },
): Endpoint;
