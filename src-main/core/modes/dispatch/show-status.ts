/** Action `status`: how much there is, whether it changed, and what does not work. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { ToolFilter } from '../../config/app-config.ts';
import { envelope } from './envelope.ts';
import type { Connection, ShownCatalog } from './shown-catalog.ts';

export function showStatus({ catalog, connections }: ShownCatalog, { allow, deny }: ToolFilter): JsonObject {
  const head = { action: 'status' };
  const status = {
    ...head,
    totalConnections: connections.length,
    totalTools: new Set(catalog.tools.map((tool) => tool.name)).size,
    catalogHash: hashOf(catalog.tools),
    lastUpdated: Math.max(0, ...connections.map(({ listedAt }) => listedAt ?? 0)),
    toolFilter: { allow, deny },
    connections: connections.map(brief),
  };
  return envelope(head, JSON.stringify(status));
}

function brief({ alias, tools, lastError }: Connection): JsonObject {
  return { alias, toolCount: tools.length, ...(lastError !== null && { lastError }) };
}

/** The same as long as every tool is: names, texts and schemas. */
function hashOf(tools: readonly CatalogEntry[]): string {
  const hash = createHash('sha256');
  for (const { id, definition } of [...tools].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    hash.update(JSON.stringify([id, definition]));
  }
  return hash.digest('hex').slice(0, 32);
}
