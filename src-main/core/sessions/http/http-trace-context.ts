/**
 * The trace that an HTTP request belongs to, for tool calls whose `_meta` names none.
 * Sources: W3C Trace Context, 3.2 (`traceparent`); MCP 2026-07-28, basic, "Trace context".
 */
import type { IncomingHttpHeaders } from 'node:http';
import { objectOrEmpty } from '../../base/json.ts';
import { isRequest, type Message } from '../../wire/message.ts';
import type { Inbound } from './parse-inbound.ts';

/** Returns the same with the header's `traceparent` in `_meta` of its tool calls. */
export function withHttpTrace(inbound: Inbound, { traceparent }: IncomingHttpHeaders): Inbound {
  if (typeof traceparent !== 'string') return inbound;
  if (inbound.kind === 'modern') return { ...inbound, request: placed(inbound.request, traceparent) };
  if (inbound.kind !== 'legacy') return inbound;
  return { ...inbound, messages: inbound.messages.map((message) => placed(message, traceparent)) };
}

function placed<M extends Message>(message: M, traceparent: string): M {
  if (!isRequest(message) || message.method !== 'tools/call') return message;
  const meta = objectOrEmpty(message.params?.['_meta']);
  if (meta['traceparent'] !== undefined) return message;
  return { ...message, params: { ...message.params, _meta: { ...meta, traceparent } } };
}
