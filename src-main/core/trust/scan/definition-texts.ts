/** Every text of a definition that a model may read, with its place. */
import { isObject } from '../../base/json.ts';
import type { TextRole } from './rule.ts';

export interface PlacedText {
  readonly text: string;
  readonly place: TextRole;
  /** JSON Pointer (RFC 6901) to the text; for the name of a member, to that member. */
  readonly path: string;
}

export interface DefinitionTexts {
  readonly texts: readonly PlacedText[];
  /** False if there are more than 20,000 texts or 64 levels; the rest is left out. */
  readonly isWhole: boolean;
}

/**
 * The subject of a definition. Server instructions come as `{ instructions }`, and the result of prompts/get as
 * `prompt`.
 */
export type DefinitionKind = 'tool' | 'prompt' | 'resource' | 'resourceTemplate' | 'instructions';

const maxDepth = 64;
const maxTexts = 20_000;
/** Images and files are not text. */
const data = /^data:[\w/+.-]+;base64,/;

/** Members of a JSON Schema whose members have names of the server's choice. */
const named: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Members with words of the protocol and of JSON Schema, not of the server. */
const fixed: ReadonlySet<string> = new Set([
  'type',
  'format',
  '$schema',
  '$ref',
  'mimeType',
  'required',
  'pattern',
  'sizes',
  'theme',
]);

/**
 * All texts of a definition. Repeated names (`required`) and words of JSON Schema (`type`) count only if they are
 * sentences.
 */
export function textsOfDefinition(definition: unknown, kind: DefinitionKind): DefinitionTexts {
  const walk = new Walk(kind);
  walk.read(definition, '', kind === 'instructions' || kind === 'prompt' ? 'guide' : 'text', '', 0);
  return { texts: walk.texts, isWhole: walk.isWhole };
}

class Walk {
  readonly texts: PlacedText[] = [];
  isWhole = true;
  readonly #kind: DefinitionKind;

  constructor(kind: DefinitionKind) {
    this.#kind = kind;
  }

  /** `place`: that of descriptions at this point; `member`: the name of the value. */
  read(value: unknown, path: string, place: TextRole, member: string, depth: number): void {
    if (typeof value === 'string') this.#add(value, path, this.#placeOf(value, place, member, depth));
    else if (typeof value !== 'object' || value === null) return;
    else if (depth >= maxDepth) this.isWhole = false;
    else if (Array.isArray(value))
      value.forEach((item, at) => this.read(item, `${path}/${at}`, place, member, depth + 1));
    else if (isObject(value)) this.#readMembers(value, path, place, member, depth);
  }

  #readMembers(value: Record<string, unknown>, path: string, place: TextRole, member: string, depth: number): void {
    const areNames = named.has(member) || place === 'value';
    for (const [key, item] of Object.entries(value)) {
      const inside = `${path}/${/[~/]/.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key}`;
      if (areNames) this.#add(key, inside, 'name');
      this.read(
        item,
        inside,
        areWords(key, named.has(member)) ? 'value' : place,
        named.has(member) ? '' : key,
        depth + 1,
      );
    }
  }

  #placeOf(value: string, place: TextRole, member: string, depth: number): TextRole {
    if (member === 'name' && depth === 1) return 'name';
    // Arguments of a prompt have names as parameters do.
    if (member === 'name' && this.#kind === 'prompt') return 'name';
    if (member === 'description' || member === 'instructions' || member === 'text') return place;
    if (fixed.has(member) && !/\s\S+\s/.test(value)) return 'name';
    return 'value';
  }

  #add(text: string, path: string, place: TextRole): void {
    // Shorter texts carry no instruction.
    if (text.length < 3 || data.test(text)) return;
    if (this.texts.length >= maxTexts) this.isWhole = false;
    else this.texts.push({ text: place === 'name' ? asWords(text) : text, place, path });
  }
}

/** Members that should not contain sentences. */
function areWords(key: string, isName: boolean): boolean {
  return !isName && wordless.has(key);
}

const wordless: ReadonlySet<string> = new Set(
  'outputSchema _meta annotations enum const default examples execution icons'.split(' '),
);

/** `readSshKey` and `read_ssh_key` as words. A text with spaces stays unchanged. */
function asWords(name: string): string {
  return !/[A-Z_-]/.test(name) || /\s/.test(name)
    ? name
    : name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ');
}
