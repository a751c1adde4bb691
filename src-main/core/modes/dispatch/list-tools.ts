/** Action `list`: the connections and their tools. */
import type { JsonObject } from '../../base/json.ts';
import type { ModeView } from '../mode.ts';
import { envelope } from './envelope.ts';
import { readFlag, wantsDetail } from './read-input.ts';
import type { Connection, ShownCatalog } from './shown-catalog.ts';
import { toDetailText } from './to-detail-text.ts';
import { compactTool, detailedTool } from './tool-summary.ts';

/** `only`: the connection that was named. */
export function listTools(
  input: JsonObject,
  shown: ShownCatalog,
  only: Connection | undefined,
  view: ModeView,
): JsonObject {
  const listed = only === undefined ? shown.connections : [only];
  const head = { action: 'list', totalConnections: listed.length };
  if (wantsDetail(input)) {
    const facts = { ...head, connections: listed.map((connection) => detailed(connection, input)) };
    return envelope(facts, toDetailText(facts));
  }
  const connections = listed.map(({ alias, tools }) => ({
    alias,
    tools: tools.map((tool) => compactTool(tool, view)),
  }));
  return envelope({ ...head, connections }, JSON.stringify({ action: head.action, connections }));
}

function detailed({ alias, serverInfo, lastError, tools }: Connection, input: JsonObject): JsonObject {
  return {
    alias,
    serverInfo,
    lastError,
    ...(readFlag(input, 'includeTools', true) && { tools: tools.map((tool) => detailedTool(tool, input)) }),
    toolCount: tools.length,
  };
}
