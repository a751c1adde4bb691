/** What a change of a definition means to the model that reads it: nothing, less text, new text, or milder words about what a tool does. */
import { isObject, type JsonObject, objectOf } from '../../base/json.ts';
import { isSameJson } from '../canonical-json.ts';

/** `new` and `gone` are told by who has both lists. */
export type ChangeClass = 'mechanical' | 'text_lost' | 'text_gained' | 'hints_milder' | 'new' | 'gone';

/** A sentence that was not there, and where it stands now: `inputSchema.properties.path.description`. */
export interface AddedText {
  readonly place: string;
  readonly sentence: string;
}

export interface Difference {
  readonly class: Exclude<ChangeClass, 'new' | 'gone'>;
  readonly added: readonly AddedText[];
  /** Hints by which the tool now seems less dangerous, as `destructiveHint: true → false`. */
  readonly milder: readonly string[];
}

/** undefined: they are the same, whatever the order of their members. */
export function compareDefinitions(before: JsonObject, after: JsonObject): Difference | undefined {
  if (isSameJson(before, after)) return undefined;
  const [was, is] = [textsOf(before), textsOf(after)];
  const added = gained(was, is);
  const milder = milderHints(objectOf(before['annotations']), objectOf(after['annotations']));
  if (added.length > 0) return { class: 'text_gained', added, milder };
  if (milder.length > 0) return { class: 'hints_milder', added, milder };
  return { class: gained(is, was).length > 0 ? 'text_lost' : 'mechanical', added, milder };
}

/** Every sentence of a definition, with its place: of what is new as a whole. */
export function allTexts(definition: JsonObject): readonly AddedText[] {
  return gained(new Map(), textsOf(definition));
}

// Hints: what a server that says nothing means by it. Source: MCP 2025-11-25, ToolAnnotations.

/** Of each hint the value by which a tool is the milder one, and what its absence means. */
const hints: readonly { readonly key: string; readonly mild: boolean; readonly usual: boolean }[] = [
  { key: 'readOnlyHint', mild: true, usual: false },
  { key: 'destructiveHint', mild: false, usual: true },
  { key: 'idempotentHint', mild: true, usual: false },
  { key: 'openWorldHint', mild: false, usual: true },
];

function milderHints(before: JsonObject, after: JsonObject): readonly string[] {
  return hints.flatMap(({ key, mild, usual }) => {
    const [was, is] = [before, after].map((one) => (typeof one[key] === 'boolean' ? one[key] : usual));
    return was !== mild && is === mild ? [`${key}: ${String(was)} → ${String(is)}`] : [];
  });
}

// Texts, by place. Items of a list share one place, so that one more in their midst changes no other.

type Texts = Map<string, Set<string>>;

function gained(before: Texts, after: Texts): readonly AddedText[] {
  const added: AddedText[] = [];
  for (const [place, sentences] of after) {
    const known = before.get(place);
    for (const sentence of sentences) if (known?.has(sentence) !== true) added.push({ place, sentence });
  }
  return added;
}

function textsOf(definition: JsonObject): Texts {
  const texts: Texts = new Map();
  walk(definition, '', '', texts);
  return texts;
}

function walk(value: unknown, key: string, place: string, texts: Texts): void {
  if (typeof value === 'string') {
    if (!isMechanical(key, value)) note(texts, place, value);
  } else if (Array.isArray(value)) {
    for (const item of value) walk(item, key, `${place}[]`, texts);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      // Names of parameters are read as well; words of the protocol and of JSON Schema say nothing.
      if (!plainKeys.has(name)) note(texts, place, name);
      walk(member, name, place === '' ? name : `${place}.${name}`, texts);
    }
  }
}

function note(texts: Texts, place: string, text: string): void {
  const known = texts.get(place) ?? new Set();
  for (const sentence of sentencesOf(text)) known.add(sentence);
  texts.set(place, known);
}

/** Split where one ends or a line breaks; what is only laid out anew stays the same. */
function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])[ \t]|[\n\r]|(?<=[。！？])/)
    .map((part) => part.replace(/[ \t]+/g, ' ').trim())
    .filter((part) => part !== '');
}

/** Values that programs read, where they are written as programs read them. */
const mechanical: ReadonlyMap<string, RegExp> = new Map([
  ['type', /^(?:string|number|integer|boolean|object|array|null)$/],
  ['format', /^[a-z-]{1,24}$/],
  ['$schema', /^https?:\/\/json-schema\.org\/[\w/.-]{1,60}#?$/],
  ['$ref', /^#[\w/$.%~-]{0,200}$/],
  ['$dynamicRef', /^#[\w/$.%~-]{0,200}$/],
  ['contentEncoding', /^[\w-]{1,24}$/],
  ['mimeType', /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/],
  ['taskSupport', /^(?:forbidden|optional|required)$/],
  ['audience', /^(?:user|assistant)$/],
]);

function isMechanical(key: string, value: string): boolean {
  // A name in `required` counts where the parameter is declared; it is no place for more than names.
  if (key === 'required') return /^[\w$.@-]{1,64}$/.test(value);
  return mechanical.get(key)?.test(value) === true;
}

/** Members of MCP's definitions and keywords of JSON Schema 2020-12 and draft 7. */
const plainKeys: ReadonlySet<string> = new Set(
  [
    'name title description inputSchema outputSchema annotations execution taskSupport _meta icons src sizes theme mimeType',
    'arguments required uriTemplate size audience priority lastModified instructions serverInfo version websiteUrl',
    'readOnlyHint destructiveHint idempotentHint openWorldHint',
    '$schema $id $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs definitions',
    'type enum const default examples multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern',
    'format items prefixItems additionalItems maxItems minItems uniqueItems contains maxContains minContains properties',
    'patternProperties additionalProperties unevaluatedItems unevaluatedProperties propertyNames maxProperties minProperties',
    'dependentRequired dependentSchemas dependencies if then else allOf anyOf oneOf not deprecated readOnly writeOnly',
    'contentEncoding contentMediaType contentSchema nullable',
  ].flatMap((line) => line.split(' ')),
);
