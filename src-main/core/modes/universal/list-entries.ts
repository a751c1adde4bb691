/** The actions `list` and `info` of the proxy tool. */
import type { JsonObject } from '../../base/json.ts';
import type { HelperContext, ModeView } from '../mode.ts';
import { filterEntries, findEntry, listTypes, proxyEntries } from './proxy-entries.ts';
import { jsonItem } from './proxy-facts.ts';
import type { InfoRequest, ListRequest } from './proxy-request.ts';

/** One page; how many there are in all is said beside it, also when the page is empty. */
export function listEntries(request: ListRequest, view: ModeView): JsonObject {
  const { type, limit, offset } = request;
  const found = filterEntries(proxyEntries(type, view), request, view.catalog);
  const page = found.slice(offset, offset + limit).map(({ listed }) => listed);
  const item = jsonItem(`proxy:list/${type}`, page, {
    proxyAction: 'list',
    proxyType: type,
    pythonType: listTypes[type],
    many: true,
    totalCount: found.length,
    offset,
    limit,
  });
  return { content: [item] };
}

/** The whole definition. Rejects with AppError not_found or tool_ambiguous, or what keeps its server from telling. */
export async function entryInfo({ type, path }: InfoRequest, context: HelperContext): Promise<JsonObject> {
  if (type !== 'tool') await context.settled();
  const { whole, pythonType } = await findEntry(type, path, context);
  const facts = { proxyAction: 'info', proxyType: type, proxyPath: path, pythonType } as const;
  return { content: [jsonItem(`proxy:info/${type}/${path}`, whole, facts)] };
}
