/** A request whose caller has been authenticated, for checks before it is served. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../views/endpoint.ts';
import type { Inbound } from './parse-inbound.ts';
import type { SessionBinding } from './stateful-http-transport.ts';

export interface InboundRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly endpoint: Endpoint;
  /** The caller, as authenticated by the listener. */
  readonly place: SessionBinding;
  /** The body as received and parsed; absent for GET and DELETE. */
  readonly body?: { readonly text: string; readonly inbound: Inbound };
}
