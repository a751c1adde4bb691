/**
 * User interfaces of tools (MCP Apps) for the dashboard: read from the server, and checked. Source: SEP-1865
 * (2026-01-26), extension `io.modelcontextprotocol/ui`.
 */
import { AppError } from '../base/errors.ts';
import { isObject, type JsonObject, objectOrEmpty, textOrEmpty } from '../base/json.ts';
import { truncateName } from '../base/visible-text.ts';
import { formatCount } from '../base/text-format.ts';
import { viewType } from '../servers/extension-set.ts';
import type { CallContext } from '../servers/in-flight-calls.ts';
import type { ManagedServer } from '../servers/managed-server.ts';
import { toObject } from '../wire/raw-json.ts';
import { parseViewRequirements, type ViewRequirements } from './view-policy.ts';

/** In characters; the largest official example has two million. */
const maxViewLength = 16 * 1024 * 1024;

export interface AppView {
  readonly uri: string;
  readonly html: string;
  readonly wishes: ViewRequirements;
}

/**
 * Reads a tool's view from its server. Rejects with AppError `not_found`, unsupported, `message_too_large`, or as the
 * server does.
 */
export async function loadAppView(server: ManagedServer, uri: string, context: CallContext): Promise<AppView> {
  const answer = toObject(await server.request('resources/read', { uri }, context));
  const contents: unknown = answer['contents'];
  const [content] = Array.isArray(contents) ? (contents as unknown[]).filter(isObject) : [];
  const subject = `The view ${truncateName(uri)} of ${server.config.name}`;
  if (content === undefined)
    throw new AppError('not_found', `${subject} is empty.`, { fix: 'This is an error of the server.' });
  const type = textOrEmpty(content['mimeType']).toLowerCase().replaceAll(/\s/g, '');
  if (type !== viewType)
    throw new AppError('unsupported', `${subject} is ${truncateName(type === '' ? 'without a type' : type)}.`, {
      fix: `Only ${viewType} is supported.`,
    });
  const html = textOf(content);
  if (html === undefined)
    throw new AppError('not_found', `${subject} has no text.`, { fix: 'This is an error of the server.' });
  if (html.length > maxViewLength)
    throw new AppError('message_too_large', `${subject} has ${formatCount(html.length, 'character')}.`, {
      fix: `Up to ${maxViewLength} are shown.`,
    });
  const ui = objectOrEmpty(content['_meta'])['ui'] ?? listedMeta(server, uri);
  return { uri, html, wishes: parseViewRequirements(objectOrEmpty(ui)) };
}

function textOf({ text, blob }: JsonObject): string | undefined {
  if (typeof text === 'string') return text;
  return typeof blob === 'string' ? Buffer.from(blob, 'base64').toString('utf8') : undefined;
}

/** The resource list's metadata applies if the resource itself has none. */
function listedMeta({ listing }: ManagedServer, uri: string): unknown {
  const listed = listing.resources.find((one) => one['uri'] === uri);
  return objectOrEmpty(listed?.['_meta'])['ui'];
}
