/** What a model is told in place of an answer that lies on disk: what it is, how it looks, how to read on. */
import { isObject, type JsonObject } from '../base/json.ts';
import { isTextKind } from '../results/keep/media-types.ts';
import type { KeptAnswer, KeptPart } from '../results/spill.ts';
import { spillFacts, spillKey, spillUri } from '../results/spill-facts.ts';
import type { TopOfData } from '../results/toon-result.ts';
import type { CallerContext } from './call-tool.ts';
import type { SpillLimit } from './spill-limit.ts';

/** Writes the call that reads on, in the words of a mode: `call_tool {"name":"read_result",…}`. */
export type ReadHint = (input: JsonObject) => string;

export interface SpilledFrom {
  readonly server: string;
  readonly tool: string;
  readonly hint: ReadHint;
  readonly context: CallerContext;
}

/** `resource_link` came with 2025-06-18; a client app of an older revision refuses what it does not know. */
const firstWithLinks = '2025-06-18';

/** What is known of the answer besides what lies on disk. */
export interface ToldAnswer {
  /** Blocks that are told as they are. */
  readonly media: readonly JsonObject[];
  /** Its size, in the measure of the limit. */
  readonly bytes: number;
  /** What the data looked like that was written as TOON. */
  readonly top?: TopOfData | undefined;
}

export function spilledResult(
  kept: KeptAnswer,
  { media, bytes, top }: ToldAnswer,
  limit: SpillLimit,
  from: SpilledFrom,
): JsonObject {
  const { protocolVersion = firstWithLinks } = from.context;
  const links = protocolVersion < firstWithLinks ? [] : kept.parts.map(linkTo);
  const meta = isObject(kept.rest['_meta']) ? kept.rest['_meta'] : {};
  const facts = spillFacts(kept, { exceeded: limit.toFile ? undefined : limit.bytes, bytes, top });
  return {
    ...kept.rest,
    content: [{ type: 'text', text: spilledText(kept, { bytes, limit }, from) }, ...links, ...kept.inline, ...media],
    ...(kept.isError && { isError: true }),
    _meta: { ...meta, [spillKey]: facts },
  };
}

function spilledText(
  kept: KeptAnswer,
  { bytes, limit }: { readonly bytes: number; readonly limit: SpillLimit },
  { server, tool, hint }: SpilledFrom,
): string {
  const about = kept.tokensEstimated ? 'about ' : '';
  const why = limit.toFile ? 'It was' : `That is more than ${size(limit.bytes)}, so it was`;
  return [
    `The answer of ${server}:${tool} has ${size(bytes)} (${about}${count(kept.resultTokens)} tokens). ${why} kept on disk, whole.`,
    ...kept.parts.flatMap(partLines),
    ...waysOn(kept, hint),
  ].join('\n');
}

/** Pictures, sound and the like have no lines to look for. */
function waysOn({ parts }: KeptAnswer, hint: ReadHint): string[] {
  const text = parts.find(({ spill }) => isTextKind(spill.kind));
  if (text === undefined) return [`Read it whole with resources/read: ${spillUri(parts[0].spill.id)}`];
  return [
    `Read on: ${hint({ resultFile: text.spill.id, op: 'grep', pattern: '…' })}`,
    `Other ops: stat, head, tail, slice, read, query (JSONPath), schema, table.`,
  ];
}

function partLines({ spill, summary }: KeptPart): string[] {
  const lines = spill.lines === undefined ? '' : `, ${count(spill.lines)} lines`;
  return [
    `${spill.id}: ${spill.kind}, ${size(spill.bytes)}${lines}, ${spill.file}`,
    ...summary.shape.map((line) => `  ${line}`),
    ...(summary.head === '' ? [] : [`Begins: ${summary.head}`]),
    ...(summary.tail === '' ? [] : [`Ends: ${summary.tail}`]),
  ];
}

function linkTo({ spill }: KeptPart): JsonObject {
  const { id, mimeType, bytes, server, tool } = spill;
  return { type: 'resource_link', uri: spillUri(id), name: `${server} ${tool}`, mimeType, size: bytes };
}

function count(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** Decimal units, as file managers show them. */
function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 100) / 10} kB`;
  return `${Math.round(bytes / 100_000) / 10} MB`;
}
