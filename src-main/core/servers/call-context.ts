/** What a server may need from whoever is calling: the traffic that runs the other way rides on the call in flight. */
import type { JsonObject } from '../base/json.ts';
import type { Result } from '../wire/message.ts';

export interface CallContext {
  readonly sessionId: string;
  readonly clientInfo: JsonObject;
  /** What the client app said it can do: sampling, elicitation, roots … */
  readonly clientCapabilities: JsonObject;
  readonly signal: AbortSignal;
  /** Absent when the client app did not ask for progress. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** Log messages of this call; `params` as the server sent them. */
  readonly onLog: (params: JsonObject) => void;
  /** The least severe level this session wants, if it said. */
  readonly logLevel?: string | undefined;
  /** Puts a request of the server (sampling, elicitation, roots) to this session's client app. Rejects with RpcError. */
  readonly askClient: (method: string, params: JsonObject, signal: AbortSignal) => Promise<Result>;
  /** The revision of MCP that this session speaks. */
  readonly protocolVersion?: string | undefined;
  /** What the session lists is different now. */
  readonly onToolsChanged?: (() => void) | undefined;
  /** Keeps what the session has to itself at servers for a call that outlives its request. */
  readonly holdSession?: ((until: Promise<unknown>) => void) | undefined;
  /** Its client app sees many servers as one: what a server asks has to say whose question it is. */
  readonly namesServers?: boolean | undefined;
  /** The session speaks 2026-07-28: `input_required` results pass through as they are. */
  readonly acceptsInputRequired: boolean;
}
