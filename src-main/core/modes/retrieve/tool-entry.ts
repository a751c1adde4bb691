/** A found tool as retrieve_tools and describe_tool show it. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../base/json.ts';
import { type CatalogEntry, usableSchema } from '../../catalog/catalog.ts';
import type { SessionMemory } from '../session-memory.ts';
import { annotationsOf, callWith } from './annotations.ts';
import { compactSignature } from './compact-signature.ts';

/**
 * One line to choose by; the schema follows on demand. As MCPProxy's compact entry has it, which knows a tool by `id` alone;
 * `named`: under the names that its whole entries have.
 */
export function compactEntry(tool: CatalogEntry, score: number, named: boolean): JsonObject {
  const { description, inputSchema } = tool.definition;
  const { sig, lossy } = compactSignature(inputSchema ?? {});
  const desc = firstSentence(typeof description === 'string' ? description : '');
  const name = named ? { name: tool.id, server: tool.server } : { id: tool.id };
  return { ...name, score: rounded(score), sig, desc, lossy, call_with: callWith(tool) };
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

/** In characters, of a description without an end of a sentence. */
const longestLine = 200;

/** As it is written, up to the first end of a sentence. */
function firstSentence(description: string): string {
  const text = description.trim();
  const sentence = /^[^]*?(?:[。！？]|[.!?](?=$|[\s")\]}]))/u.exec(text)?.[0] ?? text;
  const characters = [...sentence];
  return characters.length <= longestLine ? sentence : `${characters.slice(0, longestLine).join('')}…`;
}

function rounded(score: number): number {
  return Math.round(score * 100) / 100;
}
