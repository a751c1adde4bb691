/** A transport that tells the server the protocol revision by itself, in an HTTP header. */
import type { Transport } from '../../wire/transport.ts';

export interface VersionedTransport extends Transport {
  /** To be called with what `initialize` agreed on, before the next message. */
  setProtocolVersion(version: string): void;
}

export function isVersioned(transport: Transport): transport is VersionedTransport {
  return 'setProtocolVersion' in transport;
}
