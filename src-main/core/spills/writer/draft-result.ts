/**
 * Turns a result into the parts that are stored: texts, data and media, without duplicates, the main one first; the
 * rest stays in the result.
 */
import { isObject, type JsonObject, parseJson, tryParsePlainJson } from '../../base/json.ts';
import {
  type DraftedPart,
  type DraftedResult,
  extensionOf,
  isTextKind,
  mediaKind,
  plainMediaType,
} from '../spill-writer-messages.ts';
import type { SpillKind } from '../spill.ts';
import { compactJson, layoutJson, memberSpans } from './layout-json.ts';
import { inspect, payloadOf, summaryOf } from './summary.ts';
import { textTypeOf } from './text-type.ts';

interface Candidate {
  /** Its position in the result; structured content comes first. */
  readonly order: number;
  readonly content: Buffer;
  readonly kind: SpillKind;
  readonly mimeType: string;
  /** The payload of this part as sent by the server, without duplicates, as a model would read it. */
  readonly payload: Buffer;
  /** The parsed JSON. */
  readonly value?: unknown;
  readonly note?: string | undefined;
}

interface TextBlock {
  readonly order: number;
  readonly block: JsonObject;
  readonly text: string;
  readonly bytes: number;
  readonly mimeType: string | undefined;
  readonly note: string | undefined;
}

interface OtherBlock {
  readonly order: number;
  readonly block: JsonObject;
}

/** Texts up to this many bytes may stay in the result. */
const shortText = 1024;
const maxShortBytes = 4096;
const maxShort = 16;
const maxParts = 8;
const maxBinaries = 64;
/** Maximum size of blocks that stay in the result, as JSON. */
const maxInlineCharacters = 16 * 1024;
/** Longer members of the result become parts of their own, in bytes. */
const maxInlineMemberBytes = 4096;

/** `json`: the whole result. `textKind`: the kind of texts that are not JSON. */
export function draftResult(json: Buffer, textKind: 'text' | 'toon'): DraftedResult {
  const result = tryParsePlainJson(json.toString('utf8'));
  const blocks = isObject(result) ? (result['content'] ?? []) : undefined;
  if (!isObject(result) || !Array.isArray(blocks) || !blocks.every(isObject)) return wholeText(json);
  const spans = memberSpans(json);
  const found = sorted(blocks);
  const data = structured(json, spans, result['structuredContent'], found.texts);
  const { parts, inline } = textParts(found, data, textKind);
  const { members, rest } = otherMembers(json, spans, result);
  const candidates = [...parts, ...found.binaries, ...members].sort((a, b) => a.order - b.order);
  if (data !== undefined && !data.isText) candidates.unshift(data.part);
  if (candidates.length === 0) candidates.push(remainsAsPart({ content: inline, ...rest }));
  return { parts: candidates.map(drafted), remains: JSON.stringify({ inline, rest }) };
}

function wholeText(content: Buffer): DraftedResult {
  const part = drafted({ order: 0, content, kind: 'text', mimeType: 'text/plain', payload: content });
  return { parts: [part], remains: JSON.stringify({ inline: [], rest: {} }) };
}

/** For a result with only links, or nothing. */
function remainsAsPart(remains: JsonObject): Candidate {
  const payload = Buffer.from(JSON.stringify(remains));
  return { order: 0, ...jsonType, content: layoutJson(payload), payload, value: remains };
}

const jsonType = { kind: 'json', mimeType: 'application/json' } as const;

interface SortedBlocks {
  readonly texts: TextBlock[];
  readonly binaries: Candidate[];
  readonly others: OtherBlock[];
}

function sorted(blocks: readonly JsonObject[]): SortedBlocks {
  const found: SortedBlocks = { texts: [], binaries: [], others: [] };
  for (const [order, block] of blocks.entries()) sortBlock(found, order, block);
  return found;
}

function sortBlock({ texts, binaries, others }: SortedBlocks, order: number, block: JsonObject): void {
  const { type } = block;
  const resource = type === 'resource' && isObject(block['resource']) ? block['resource'] : undefined;
  const text = resource === undefined ? (type === 'text' ? block['text'] : undefined) : resource['text'];
  const note = typeof resource?.['uri'] === 'string' ? `resource ${resource['uri']}` : undefined;
  const addText = (content: string, about: { mimeType?: string | undefined; note?: string | undefined }): void => {
    texts.push({
      order,
      block,
      text: content,
      bytes: Buffer.byteLength(content),
      mimeType: about.mimeType,
      note: about.note,
    });
  };
  if (typeof text === 'string') return addText(text, { mimeType: plainMediaType(resource?.['mimeType']), note });
  const isMedia = type === 'image' || type === 'audio';
  const data = isMedia ? block['data'] : resource?.['blob'];
  if (typeof data !== 'string') return void others.push({ order, block });
  const content = binaries.length < maxBinaries ? decoded(data) : undefined;
  if (content !== undefined) {
    const mimeType = plainMediaType((resource ?? block)['mimeType']) ?? 'application/octet-stream';
    const kind = isMedia ? type : mediaKind(mimeType);
    binaries.push({ order, content, kind, mimeType, payload: Buffer.from(data), note });
  } else if (data.length > shortText) addText(data, { note: note ?? `${String(type)} with invalid base64 data` });
  else others.push({ order, block });
}

/** Decodes plain and URL-safe base64 with MIME line breaks; undefined if invalid. */
function decoded(data: string): Buffer | undefined {
  const letters = /\s/.test(data) ? data.replace(/\s+/g, '') : data;
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(letters)) return undefined;
  const length = letters.replace(/=+$/, '').length % 4;
  return length === 1 ? undefined : Buffer.from(letters, 'base64');
}

interface StructuredData {
  readonly part: Candidate;
  /** Texts with equal content. */
  readonly same: ReadonlySet<TextBlock>;
  /** Whether it only wraps one of the texts, `{"result": "…"}`. */
  readonly isText: boolean;
}

/** Many servers return everything twice: also as text, for clients that ignore structured content. */
function structured(
  json: Buffer,
  spans: ReadonlyMap<string, readonly [number, number]>,
  value: unknown,
  texts: readonly TextBlock[],
): StructuredData | undefined {
  const span = spans.get('structuredContent');
  if (span === undefined) return undefined;
  const sent = json.subarray(...span);
  const content = layoutJson(sent);
  const [wrapped, ...more] = isObject(value) ? Object.values(value) : [];
  const [only, ...others] = texts;
  const isText = more.length === 0 && others.length === 0 && only !== undefined && wrapped === only.text;
  const same = new Set(texts.filter((text) => laidOutText(text)?.content.equals(content) === true));
  const [first] = same;
  const payload = first === undefined ? sent : Buffer.from(first.text);
  return { part: { order: -1, ...jsonType, content, payload, value }, same, isText };
}

/** Undefined for a text that is not a list or object. */
function laidOutText({
  text,
}: Pick<TextBlock, 'text'>): { readonly content: Buffer; readonly value: unknown } | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const value = tryParsePlainJson(text);
  return value === undefined ? undefined : { content: layoutJson(Buffer.from(text)), value };
}

interface TextParts {
  readonly parts: readonly Candidate[];
  readonly inline: readonly JsonObject[];
}

/** Long texts are parts, a few short ones stay in the result, many are one part together. */
function textParts(
  { texts: all, binaries, others }: SortedBlocks,
  data: StructuredData | undefined,
  textKind: 'text' | 'toon',
): TextParts {
  const texts = all.filter((text) => data?.same.has(text) !== true);
  const isAlone = (data === undefined || data.isText) && binaries.length === 0;
  const isLong = ({ bytes }: TextBlock): boolean => bytes > shortText;
  const long = texts.filter(isLong);
  const short = texts.filter((text) => !isLong(text));
  const shortBytes = short.reduce((sum, { bytes }) => sum + bytes, 0);
  const isNothingElse = isAlone && long.length === 0;
  const gathers =
    long.length > maxParts ||
    short.length > maxShort ||
    shortBytes > maxShortBytes ||
    (isNothingElse && short.length > 1);
  const { fitting, left } = fittingBlocks(others);
  const gathered = [...(gathers ? texts : []), ...left.map(asText)].sort((a, b) => a.order - b.order);
  const own = gathers ? [] : isNothingElse ? texts : long;
  const inlineTexts = gathers || isNothingElse ? [] : short;
  const inline = [...fitting, ...inlineTexts].sort((a, b) => a.order - b.order).map(({ block }) => block);
  const parts = own.map((text) => textPart(text, textKind));
  return { parts: gathered.length === 0 ? parts : [...parts, gatheredPart(gathered)], inline };
}

function fittingBlocks(others: readonly OtherBlock[]): { fitting: OtherBlock[]; left: OtherBlock[] } {
  let characters = 0;
  const [fitting, left]: [OtherBlock[], OtherBlock[]] = [[], []];
  for (const other of others) {
    characters += JSON.stringify(other.block).length;
    (characters <= maxInlineCharacters ? fitting : left).push(other);
  }
  return { fitting, left };
}

function asText({ order, block }: OtherBlock): TextBlock {
  const text = JSON.stringify(block);
  return { order, block, text, bytes: Buffer.byteLength(text), mimeType: undefined, note: undefined };
}

function textPart(text: TextBlock, textKind: 'text' | 'toon'): Candidate {
  const { order, note, mimeType } = text;
  const payload = Buffer.from(text.text);
  const data = laidOutText(text);
  if (data !== undefined) return { order, note, ...jsonType, ...data, payload };
  const type = textKind === 'toon' ? 'text/toon' : (mimeType ?? 'text/plain');
  return { order, note, kind: textKind, mimeType: type, content: payload, payload };
}

/** Texts that are all JSON become its lines. */
function gatheredPart(texts: readonly TextBlock[]): Candidate {
  const isData = texts.every((text) => /^\s*[{[]/.test(text.text) && tryParsePlainJson(text.text) !== undefined);
  const lines = texts.map(({ text }) => (isData ? compactJson(Buffer.from(text)) : Buffer.from(text)));
  const content = Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [lineFeed, line])));
  const note = `${texts.length} concatenated texts`;
  return { order: texts[0]?.order ?? 0, content, kind: 'text', mimeType: 'text/plain', payload: content, note };
}

const lineFeed = Buffer.from('\n');

/** `isError`, `_meta` and unknown members. */
function otherMembers(
  json: Buffer,
  spans: ReadonlyMap<string, readonly [number, number]>,
  result: JsonObject,
): { readonly members: readonly Candidate[]; readonly rest: JsonObject } {
  const members: Candidate[] = [];
  const rest: [string, unknown][] = [];
  for (const [name, span] of spans) {
    if (name === 'content' || name === 'structuredContent') continue;
    const payload = json.subarray(...span);
    if (payload.length <= maxInlineMemberBytes) rest.push([name, parseJson(payload.toString('utf8'))]);
    else {
      const note = `"${name}" of the result`;
      members.push({ order: Infinity, note, ...jsonType, content: layoutJson(payload), payload, value: result[name] });
    }
  }
  return { members, rest: Object.fromEntries(rest) };
}

function drafted({ content, kind, mimeType: declared, value, note, payload }: Candidate): DraftedPart {
  const otherwise = isTextKind(kind) ? 'txt' : 'bin';
  const look = inspect(content);
  const mimeType = declared === 'text/plain' ? textTypeOf(look) : declared;
  return {
    kind,
    mimeType,
    extension: kind === 'json' || kind === 'toon' ? kind : extensionOf(mimeType, otherwise),
    bytes: content.length,
    lines: isTextKind(kind) ? look.lines : undefined,
    summary: summaryOf({ kind, mimeType, look, value, note }),
    payload: payloadOf(payload, isTextKind(kind)),
    content,
  };
}
