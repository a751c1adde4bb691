/** One block of an answer's content while it passes: its long strings become parts, the rest of it stays at hand. */
import type { JsonObject } from '../../base/json.ts';
import { Base64Part } from './base64-part.ts';
import type { Consumer } from './consumer.ts';
import { ObjectScanner } from './container-scanners.ts';
import { JsonPart } from './json-part.ts';
import type { DraftPlace } from './draft-place.ts';
import { StringReader } from './string-reader.ts';
import { TextPart } from './text-part.ts';

export interface BlockString {
  readonly name: string;
  /** It stood in the block's `resource`. */
  readonly inResource: boolean;
  /** Counts the strings of the answer: by it one is known when the answer is read again. */
  readonly number: number;
  readonly part: TextPart | Base64Part;
}

export interface ReadBlock {
  /** Members that are short; without the strings. */
  readonly fields: JsonObject;
  readonly resource: JsonObject | undefined;
  readonly strings: readonly BlockString[];
  /** Other members that are long. */
  readonly others: readonly { readonly name: string; readonly part: JsonPart }[];
}

export interface BlockReaderOptions {
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
export function blockReader(options: BlockReaderOptions): Consumer {
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

/** A plain member even for `__proto__`. */
export function define(target: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
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
