/** A found tool as retrieve_tools and describe_tool show it. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import { condenseDescription } from '../../condense/condense-description.ts';
import type { SessionMemory } from '../session-memory.ts';
import { annotationsOf, callWith } from './annotations.ts';
import { compactSignature } from './compact-signature.ts';

/** One line to choose by; the schema follows on demand. */
export function compactEntry(tool: CatalogEntry, score: number): JsonObject {
  const { description, inputSchema } = tool.definition;
  const { sig, lossy } = compactSignature(inputSchema ?? {});
  const desc = condenseDescription(typeof description === 'string' ? description : undefined);
  return { id: tool.id, score: rounded(score), sig, desc, lossy, call_with: callWith(tool) };
}

/** Everything that a call needs. `score` only where something was searched. */
export function fullEntry(tool: CatalogEntry, score?: number): JsonObject {
  const annotations = annotationsOf(tool);
  const { description } = tool.definition;
  return {
    name: tool.id,
    description: typeof description === 'string' ? description : '',
    inputSchema: usableSchema(tool.definition),
    ...(score !== undefined && { score: rounded(score) }),
    server: tool.server,
    ...(Object.keys(annotations).length > 0 && { annotations }),
    call_with: callWith(tool),
  };
}

/** Notes that the session sees the schema of a tool; whether it has seen this one before. */
export function sawSchema(tool: CatalogEntry, memory: SessionMemory): boolean {
  const version = createHash('sha256')
    .update(JSON.stringify(usableSchema(tool.definition)))
    .digest('base64url');
  return memory.seen('schema', `${tool.id} ${version.slice(0, 12)}`);
}

function rounded(score: number): number {
  return Math.round(score * 100) / 100;
}
