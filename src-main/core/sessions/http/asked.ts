/** A request that came through a door, for a core that is one of several: what it names may be with another one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../views/endpoint.ts';
import type { Inbound } from './inbound.ts';
import type { SessionPlace } from './legacy-line.ts';

export interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly endpoint: Endpoint;
  /** Whoever came, as the door knows them. */
  readonly place: SessionPlace;
  /** The body as it came, and what it brings; absent for GET and DELETE. */
  readonly body?: { readonly text: string; readonly inbound: Inbound };
}

/** Has another core answer it; undefined: it is this one's to answer. Where it resolves to false, it has become so meanwhile. */
export type Route = (asked: Asked) => Promise<boolean> | undefined;
