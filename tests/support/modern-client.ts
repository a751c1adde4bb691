/**
 * A client of 2026-07-28 on any raw connection: every request carries the envelope, `input_required` is answered by
 * retrying.
 */
import type { Exchange, Params, RawMessage } from './raw-client.ts';

export interface Line {
  exchange(method: string, params?: Params): Promise<Exchange>;
}

type Answer = (params: Params) => unknown;

export class ModernClient {
  /** Requests of the core in `input_required` results, in order. */
  readonly asked: { readonly method: string; readonly params: Params }[] = [];
  readonly #line: Line;
  readonly #meta: Params;
  readonly #answers = new Map<string, Answer>();

  constructor(line: Line, capabilities: Params = {}, name = 'modern-client') {
    this.#line = line;
    this.#meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': { name, version: '1.0.0' },
    };
  }

  onAsk(method: string, answer: Answer): void {
    this.#answers.set(method, answer);
  }

  /** One request, with its unprocessed response, including `input_required`. */
  async once(method: string, params: Params = {}): Promise<RawMessage> {
    const meta = (params['_meta'] ?? {}) as Params;
    const { message } = await this.#line.exchange(method, { ...params, _meta: { ...meta, ...this.#meta } });
    return message;
  }

  /** Retries until the response is complete. `again` may change a retry. */
  async call(
    name: string,
    args: Params = {},
    more: Params = {},
    again: (more: Params) => Params = (same) => same,
  ): Promise<RawMessage> {
    let carried = more;
    let message = await this.once('tools/call', { name, arguments: args, ...carried });
    while (message.result?.['resultType'] === 'input_required') {
      carried = again(carried);
      const { inputRequests, requestState } = message.result;
      const inputResponses = await this.#answerAll(inputRequests as Params);
      message = await this.once('tools/call', { name, arguments: args, ...carried, inputResponses, requestState });
    }
    return message;
  }

  async #answerAll(requests: Params): Promise<Params> {
    const answers: Params = {};
    for (const [key, request] of Object.entries(requests)) {
      const { method, params = {} } = request as { method: string; params?: Params };
      this.asked.push({ method, params });
      answers[key] = await this.#answers.get(method)?.(params);
    }
    return answers;
  }
}
