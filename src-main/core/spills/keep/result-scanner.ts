/**
 * Reads the result of a call while its bytes pass and writes what is long into drafts. Nothing of it is ever held whole:
 * an answer of 400 MB takes as little memory as one of 400 kB.
 */
import { define, type JsonObject } from '../../base/json.ts';
import { mediaKind, plainMediaType } from '../messages.ts';
import { type ByteTarget, type Consumer, ListScanner, Malformed, ObjectScanner, StringReader } from './json-bytes.ts';
import type { DraftPlace, PartDraft } from './part-draft.ts';
import { Base64Part, JsonPart, TextGathering, TextMark, TextPart } from './parts.ts';

interface OtherPart {
  readonly order: number;
  readonly note: string | undefined;
}
interface BinaryPart extends OtherPart {
  readonly draft: PartDraft;
  readonly kind: 'image' | 'audio' | 'binary';
  readonly mimeType: string;
}
interface LongMember extends OtherPart {
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

// One block of an answer's content while it passes: its long strings become parts, the rest of it stays at hand.

interface BlockString {
  readonly name: string;
  /** It stood in the block's `resource`. */
  readonly inResource: boolean;
  /** Counts the strings of the answer: by it one is known when the answer is read again. */
  readonly number: number;
  readonly part: TextPart | Base64Part;
}

interface ReadBlock {
  /** Members that are short; without the strings. */
  readonly fields: JsonObject;
  readonly resource: JsonObject | undefined;
  readonly strings: readonly BlockString[];
  /** Other members that are long. */
  readonly others: readonly { readonly name: string; readonly part: JsonPart }[];
}

interface BlockReaderOptions {
  readonly place: DraftPlace;
  readonly nextNumber: () => number;
  /** To be taken as plain text whatever it looks like. */
  readonly isPlain: (number: number) => boolean;
  readonly ended: (block: ReadBlock) => void;
}

const longestField = 16 * 1024;
const quote = 0x22;
const openBrace = 0x7b;

/** Reads a block; what is no object is Malformed, as no client app could take it. */
function blockReader(options: BlockReaderOptions): Consumer {
  const block = { fields: {} as JsonObject, resource: undefined as JsonObject | undefined };
  const strings: BlockString[] = [];
  const others: { name: string; part: JsonPart }[] = [];

  const make = (fields: JsonObject, inResource: boolean, first: number, name: string): Consumer => {
    if (first === quote && isText(name)) return readText(options, strings, name, inResource);
    if (first === quote && isBase64(name)) return readBase64(options, strings, name, inResource);
    if (first === openBrace && name === 'resource' && !inResource) {
      const resource: JsonObject = (block.resource = {});
      return new ObjectScanner(
        (byte, inner) => make(resource, true, byte, inner),
        () => undefined,
      );
    }
    const ended = (part: JsonPart): void => {
      const parsed = part.parse(longestField);
      if (parsed === undefined) others.push({ name, part });
      else define(fields, name, parsed.value);
    };
    return new JsonPart({ place: options.place, watched: false, ended });
  };

  return new ObjectScanner(
    (first, name) => make(block.fields, false, first, name),
    () => options.ended({ ...block, strings, others }),
  );
}

function readText(options: BlockReaderOptions, strings: BlockString[], name: string, inResource: boolean): Consumer {
  const number = options.nextNumber();
  const part = new TextPart(options.place, options.isPlain(number));
  add(strings, { name, inResource, number, part });
  return new StringReader(part, () => part.end());
}

function readBase64(options: BlockReaderOptions, strings: BlockString[], name: string, inResource: boolean): Consumer {
  const number = options.nextNumber();
  const part = options.isPlain(number) ? new TextPart(options.place, true) : new Base64Part(options.place);
  add(strings, { name, inResource, number, part });
  return new StringReader(part, () => part.end());
}

/** Of two members of the same name the last one counts. */
function add(strings: BlockString[], string: BlockString): void {
  const earlier = strings.findIndex(({ name, inResource }) => name === string.name && inResource === string.inResource);
  if (earlier >= 0) strings.splice(earlier, 1)[0]?.part.draft.discard();
  strings.push(string);
}

function isText(name: string): boolean {
  return name === 'text';
}

function isBase64(name: string): boolean {
  return name === 'data' || name === 'blob';
}

// The texts of an answer: long ones become parts, a few short ones stay in the answer, many are gathered in one file.

interface AnswerText {
  /** Its place in the answer. */
  readonly order: number;
  readonly part: TextPart;
  readonly mimeType: string | undefined;
  readonly note: string | undefined;
  /** The block as it came, for a text that is short. */
  readonly block: () => JsonObject;
}

interface InlineBlock {
  readonly order: number;
  readonly block: JsonObject;
}

/** Texts of up to this many bytes may stay in the answer. */
const shortText = 1024;
const mostShortBytes = 4096;
const mostShort = 16;
const mostParts = 8;
/** Other blocks that stay in the answer, as JSON. */
const mostInlineCharacters = 16 * 1024;

class AnswerTexts {
  readonly #place: DraftPlace;
  #long: AnswerText[] = [];
  #short: AnswerText[] = [];
  readonly #blocks: InlineBlock[] = [];
  #blockCharacters = 0;
  #gathering: TextGathering | undefined;

  constructor(place: DraftPlace) {
    this.#place = place;
  }

  add(text: AnswerText): void {
    (text.part.length > shortText ? this.#long : this.#short).push(text);
    const shortBytes = this.#short.reduce((sum, { part }) => sum + part.length, 0);
    const isMuch = this.#long.length > mostParts || this.#short.length > mostShort || shortBytes > mostShortBytes;
    if (isMuch || this.#gathering !== undefined) this.#gather();
  }

  /** A block that is no text: a link, something new. */
  addBlock(order: number, block: JsonObject): void {
    const json = JSON.stringify(block);
    this.#blockCharacters += json.length;
    if (this.#blockCharacters <= mostInlineCharacters) this.#blocks.push({ order, block });
    else this.#openGathering(order).add(Buffer.from(json));
  }

  /** Takes out what is JSON of the same bytes. */
  dropSame(digest: string): void {
    const isOther = ({ part }: AnswerText): boolean => {
      if (!part.isJson || part.draft.digest() !== digest) return true;
      part.draft.discard();
      return false;
    };
    this.#long = this.#long.filter(isOther);
    this.#short = this.#short.filter(isOther);
  }

  /** Whether this is the only text. */
  isOnly(mark: TextMark): boolean {
    const [text, ...others] = [...this.#long, ...this.#short];
    return others.length === 0 && this.#gathering === undefined && text?.part.mark.equals(mark) === true;
  }

  /** Nothing else of the answer is a part: then its short texts are. */
  makeLong(): void {
    if (this.#short.length > 1) this.#gather();
    this.#long.push(...this.#short.splice(0));
  }

  get parts(): readonly AnswerText[] {
    return this.#long;
  }

  get gathering(): TextGathering | undefined {
    return this.#gathering;
  }

  get inline(): readonly InlineBlock[] {
    return [...this.#blocks, ...this.#short.map(({ order, block }) => ({ order, block: block() }))].sort(
      (a, b) => a.order - b.order,
    );
  }

  discard(): void {
    for (const { part } of this.#long) part.draft.discard();
    this.#gathering?.draft.discard();
  }

  #gather(): void {
    const texts = [...this.#short.splice(0), ...this.#long.splice(0)].sort((a, b) => a.order - b.order);
    const [first] = texts;
    if (first === undefined) return;
    const gathering = this.#openGathering(first.order);
    for (const { part } of texts) gathering.take(part);
  }

  #openGathering(order: number): TextGathering {
    return (this.#gathering ??= new TextGathering(this.#place, order));
  }
}

/**
 * Recognises structured content that is a text in a wrapping, `{"result": "…"}` or `{"content": "…"}`: many servers send
 * every text twice like this. Laid out it would be one endless line, so the text is kept instead.
 */
class NoWrapping extends Error {
  override readonly name = 'NoWrapping';
}

class WrappedText implements ByteTarget {
  readonly #mark = new TextMark();
  readonly #scanner: ObjectScanner;
  #isOther = false;
  #texts = 0;

  constructor() {
    const mark = this.#mark;
    this.#scanner = new ObjectScanner(
      (first) => {
        if (first !== quote || ++this.#texts > 1) throw new NoWrapping();
        return new StringReader(mark, () => undefined);
      },
      () => undefined,
    );
  }

  /** What of the structured content has passed, which is JSON. */
  push(bytes: Uint8Array, start: number, end: number): void {
    if (this.#isOther) return;
    try {
      this.#scanner.push(bytes, start, end);
    } catch {
      this.#isOther = true;
    }
  }

  /** The text that was wrapped; undefined if it was something else. */
  get mark(): TextMark | undefined {
    return this.#isOther || !this.#scanner.done || this.#texts !== 1 ? undefined : this.#mark;
  }
}
