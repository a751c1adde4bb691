/** Action `list`: the connections and their tools. */
import type { JsonObject } from '../../base/json.ts';
import type { ModeView } from '../mode.ts';
import { envelope } from './envelope.ts';
import { readFlag, wantsDetail } from './read-input.ts';
import type { Connection, ShownCatalog } from './shown-catalog.ts';
import { toDetailText } from './to-detail-text.ts';
import { compactTool, detailedTool, wantedFacts } from './tool-summary.ts';

/** `only`: the connection that was named. */
export function listTools(
  input: JsonObject,
  shown: ShownCatalog,
  only: Connection | undefined,
  view: ModeView,
): JsonObject {
  const listed = only === undefined ? shown.connections : [only];
  // What is switched off is no connection; a model that looks for its tools is told all the same.
  const off = only === undefined ? shown.finder.missingServers(undefined, shown.catalog.servers) : undefined;
  const absent = off === undefined ? {} : { not_listed: off };
  const head = { action: 'list', totalConnections: listed.length, ...absent };
  if (wantsDetail(input)) {
    const connections = listed.map((connection) => detailed(connection, input));
    return envelope(head, toDetailText({ ...head, connections }));
  }
  const connections = listed.map((connection) => compact(connection, input, view));
  return envelope(head, JSON.stringify({ action: head.action, connections, ...absent }));
}

/** What does not work says so here as well: its tools are missing, or will fail. */
function compact({ alias, lastError, tools }: Connection, input: JsonObject, view: ModeView): JsonObject {
  return {
    alias,
    ...(lastError !== null && { lastError }),
    ...(readFlag(input, 'includeTools', true)
      ? { tools: tools.map((tool) => ({ ...compactTool(tool, view), ...wantedFacts(tool, input, false) })) }
      : { toolCount: tools.length }),
  };
}

function detailed({ id, alias, serverInfo, listedAt, lastError, tools }: Connection, input: JsonObject): JsonObject {
  return {
    id,
    alias,
    serverInfo,
    ...(listedAt !== undefined && { lastRefreshed: listedAt }),
    lastError,
    ...(readFlag(input, 'includeTools', true) && { tools: tools.map((tool) => detailedTool(tool, input)) }),
    toolCount: tools.length,
  };
}
