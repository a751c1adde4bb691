/** Where a replica's inner door is, and how long it is tried: one of the same network answers a connection at once or is not there. */
import type { ClientRequest } from 'node:http';

/** In ms. */
const connectMs = 3_000;

/** `host:port`, with an IPv6 address in brackets. */
export function placeOf(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

/** Calls `connected` when somebody is there, who may have heard what is sent from then on; else the request fails in time. */
export function limitConnecting(request: ClientRequest, connected: () => void): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return connected();
    const timer = setTimeout(() => request.destroy(new Error('No connection in time.')), connectMs);
    socket.once('connect', () => {
      connected();
      clearTimeout(timer);
    });
    socket.once('close', () => clearTimeout(timer));
  });
}
