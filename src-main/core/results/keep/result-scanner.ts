/**
 * Reads the result of a call while its bytes pass and writes what is long into drafts. Nothing of it is ever held whole:
 * an answer of 400 MB takes as little memory as one of 400 kB.
 */
import type { JsonObject } from '../../base/json.ts';
import { AnswerTexts, shortText } from './answer-texts.ts';
import { Base64Part } from './base64-part.ts';
import { blockReader, type BlockString, define, type ReadBlock } from './block-reader.ts';
import { type Consumer, Malformed } from './consumer.ts';
import { ListScanner, ObjectScanner } from './container-scanners.ts';
import { JsonPart } from './json-part.ts';
import { mediaKind, plainMediaType } from './media-types.ts';
import { WrappedText } from './wrapped-text.ts';
import type { DraftPlace } from './draft-place.ts';
import type { PartDraft } from './part-draft.ts';

export interface OtherPart {
  readonly order: number;
  readonly note: string | undefined;
}
export interface BinaryPart extends OtherPart {
  readonly draft: PartDraft;
  readonly kind: 'image' | 'audio' | 'binary';
  readonly mimeType: string;
}
export interface LongMember extends OtherPart {
  readonly part: JsonPart;
}

/** Longer members of the result than this are parts of their own. */
const longestMember = 4096;
const mostBinaries = 64;

export class ResultScanner {
  readonly #place: DraftPlace;
  /** Strings that are plain text although they looked like JSON or base64. */
  readonly #plain: ReadonlySet<number>;
  readonly #top: Consumer;
  /** More of these: known after the bytes are over. */
  readonly again = new Set<number>();
  #strings = 0;
  #order = 0;
  texts: AnswerTexts;
  binaries: BinaryPart[] = [];
  structured: JsonPart | undefined;
  /** Whether the structured content is a text in a wrapping. */
  wrapped: WrappedText | undefined;
  readonly members = new Map<string, LongMember>();
  readonly rest: JsonObject = {};

  constructor(place: DraftPlace, plain: ReadonlySet<number>) {
    this.#place = place;
    this.#plain = plain;
    this.texts = new AnswerTexts(place);
    this.#top = new ObjectScanner(
      (first, name) => this.#member(first, name),
      () => undefined,
    );
  }

  /** Throws Malformed, AnswerTooLarge, or what the file system throws. */
  push(bytes: Uint8Array): void {
    const stop = this.#top.push(bytes, 0, bytes.length);
    if (bytes.subarray(stop).some((byte) => byte > 0x20)) throw new Malformed('More than one value.');
  }

  /** The bytes are over. Throws Malformed. */
  end(): void {
    if (!this.#top.done) throw new Malformed('The result ends too early.');
  }

  #member(first: number, name: string): Consumer {
    if (name === 'content' && first === 0x5b) {
      this.#forgetContent();
      return new ListScanner(
        () => this.#block(),
        () => undefined,
      );
    }
    const ended = (part: JsonPart): void => this.#endMember(name, part);
    const options = { place: this.#place, watched: true, ended };
    if (name !== 'structuredContent') return new JsonPart(options);
    this.wrapped = new WrappedText();
    return new JsonPart({ ...options, beside: this.wrapped });
  }

  /** Of two members of the same name the last one counts. */
  #forgetContent(): void {
    this.texts.discard();
    this.texts = new AnswerTexts(this.#place);
    for (const { draft } of this.binaries) draft.discard();
    this.binaries = [];
    for (const [key, { order, part }] of this.members) {
      if (!Number.isFinite(order)) continue;
      part.draft.discard();
      this.members.delete(key);
    }
  }

  #endMember(name: string, part: JsonPart): void {
    if (name === 'structuredContent') {
      this.structured?.draft.discard();
      this.structured = part;
      return;
    }
    this.members.get(name)?.part.draft.discard();
    this.members.delete(name);
    const parsed = part.parse(longestMember);
    if (parsed !== undefined) define(this.rest, name, parsed.value);
    else this.members.set(name, { order: Infinity, note: `"${name}" of the result`, part });
  }

  #block(): Consumer {
    return blockReader({
      place: this.#place,
      nextNumber: () => this.#strings++,
      isPlain: (number) => this.#plain.has(number),
      ended: (block) => this.#endBlock(this.#order++, block),
    });
  }

  #endBlock(order: number, block: ReadBlock): void {
    for (const { number, part } of block.strings) if (part.spoiled) this.again.add(number);
    const usable = block.strings.filter(({ part }) => !part.spoiled);
    const type = block.fields['type'];
    const main = usable.find((string) => isMain(string, type));
    for (const { name, part } of block.others) {
      this.members.set(`block ${order} ${name}`, { order, note: `"${name}" of a content block`, part });
    }
    for (const string of usable) if (string !== main) this.#stray(order, block, string);
    if (main === undefined) this.texts.addBlock(order, asCame(block));
    else if (main.part instanceof Base64Part) this.#binary(order, block, main.number, main.part);
    else this.#text(order, block, main);
  }

  #text(order: number, block: ReadBlock, { part, number, name, inResource }: BlockString): void {
    if (part instanceof Base64Part) return;
    // A text that cannot be had again is not dropped for being short.
    const own = inResource ? (block.resource ?? {}) : block.fields;
    const put = (): JsonObject => {
      define(own, name, part.raw?.toString('utf8') ?? '');
      return asCame(block);
    };
    // Of a picture that is no picture the type says nothing.
    const mimeType = inResource ? plainMediaType(own['mimeType']) : undefined;
    this.texts.add({ order, part, mimeType, note: noteOf(block, this.#plain.has(number)), block: put });
  }

  #binary(order: number, block: ReadBlock, number: number, { draft }: Base64Part): void {
    if (this.binaries.length >= mostBinaries) {
      draft.discard();
      this.again.add(number);
      return;
    }
    const own = block.resource ?? block.fields;
    const mimeType = plainMediaType(own['mimeType']) ?? 'application/octet-stream';
    const type = block.fields['type'];
    const kind = type === 'image' || type === 'audio' ? type : mediaKind(mimeType);
    this.binaries.push({ order, note: noteOf(block, false), draft, kind, mimeType });
  }

  /** A string that is not what the block is about. */
  #stray(order: number, block: ReadBlock, string: BlockString): void {
    const { part, number, name, inResource } = string;
    if (part instanceof Base64Part) {
      // It need not be base64 at all.
      part.draft.discard();
      this.again.add(number);
    } else if (part.length > shortText) {
      const note = `"${name}" of a content block`;
      this.texts.add({ order, part, mimeType: undefined, note, block: () => asCame(block) });
    } else define(inResource ? (block.resource ?? {}) : block.fields, name, part.raw?.toString('utf8') ?? '');
  }
}

function isMain({ name, inResource }: BlockString, type: unknown): boolean {
  if (type === 'resource') return inResource && (name === 'text' || name === 'blob');
  if (inResource) return false;
  return type === 'text' ? name === 'text' : (type === 'image' || type === 'audio') && name === 'data';
}

function asCame({ fields, resource }: ReadBlock): JsonObject {
  return resource === undefined ? fields : { ...fields, resource };
}

function noteOf({ resource, fields }: ReadBlock, isPlain: boolean): string | undefined {
  const uri = resource?.['uri'];
  if (typeof uri === 'string') return `resource ${uri}`;
  return isPlain && fields['type'] !== 'text' ? `${String(fields['type'])} whose data is no base64` : undefined;
}
