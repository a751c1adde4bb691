/** Classifies a changed definition by its effect on the model: none, less text, new text, or milder annotations. */
import { isObject, type JsonObject, objectOrEmpty } from '../../base/json.ts';
import { referredBy } from '../../base/json-pointer.ts';
import { isSameJson } from '../canonical-json.ts';

/** `new` and `gone` are determined by the caller, which has both lists. */
export type ChangeClass = 'mechanical' | 'text_lost' | 'text_gained' | 'hints_milder' | 'new' | 'gone';

/** A new sentence, and its place: `inputSchema.properties.path.description`. */
export interface AddedText {
  readonly place: string;
  readonly sentence: string;
}

export interface Difference {
  readonly class: Exclude<ChangeClass, 'new' | 'gone'>;
  readonly added: readonly AddedText[];
  /** Annotations that make the tool look less dangerous, as `destructiveHint: true → false`. */
  readonly milder: readonly string[];
}

/** Undefined if they are equal, whatever the order of their members. */
export function compareDefinitions(before: JsonObject, after: JsonObject): Difference | undefined {
  if (isSameJson(before, after)) return undefined;
  const [was, is] = [textsOf(before), textsOf(after)];
  const added = gained(was, is);
  const milder = milderHints(objectOrEmpty(before['annotations']), objectOrEmpty(after['annotations']));
  if (added.length > 0) return { class: 'text_gained', added, milder };
  if (milder.length > 0) return { class: 'hints_milder', added, milder };
  return { class: gained(is, was).length > 0 ? 'text_lost' : 'mechanical', added, milder };
}

/** Every sentence of a new definition, with its place. */
export function allTexts(definition: JsonObject): readonly AddedText[] {
  return gained(new Map(), textsOf(definition));
}

// Annotations and their defaults. Source: MCP 2025-11-25, ToolAnnotations.

/** For each hint: the value of the milder tool, and the default if absent. */
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

// Texts by place. Items of a list share one place, so that an inserted item changes no other.

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
  walk(definition, { key: '', place: '', holder: definition, schema: undefined, isMap: false }, texts);
  return texts;
}

interface Place {
  /** The member that holds the value, or that holds the list around it. */
  readonly key: string;
  readonly place: string;
  /** The object that has the member. */
  readonly holder: JsonObject;
  /** The whole surrounding schema, against which references are resolved. */
  readonly schema: JsonObject | undefined;
  /** Whether its members have names that the server chose. */
  readonly isMap: boolean;
}

function walk(value: unknown, at: Place, texts: Texts): void {
  const { key, place, isMap } = at;
  if (typeof value === 'string') {
    if (!isMechanical(value, at)) note(texts, place, value);
  } else if (Array.isArray(value)) {
    for (const item of value) walk(item, { ...at, place: `${place}[]`, isMap: false }, texts);
  } else if (isObject(value)) {
    const isRoot = at.schema === undefined && (key === 'inputSchema' || key === 'outputSchema');
    const schema = isRoot ? value : at.schema;
    for (const [name, member] of Object.entries(value)) {
      // Models read names of parameters too; words of the protocol and of JSON Schema are neutral.
      if (isMap || !plainKeys.has(name)) note(texts, place, name);
      const inner = place === '' ? name : `${place}.${name}`;
      // A member whose name the server chose is not a keyword.
      const keyword = isMap ? '' : name;
      walk(member, { key: keyword, place: inner, holder: value, schema, isMap: !isMap && maps.has(name) }, texts);
    }
  }
}

function note(texts: Texts, place: string, text: string): void {
  const known = texts.get(place) ?? new Set();
  for (const sentence of sentencesOf(text)) known.add(sentence);
  texts.set(place, known);
}

/** Split at sentence ends and line breaks, so that a different layout is no change. */
function sentencesOf(text: string): readonly string[] {
  // Most texts are one word.
  if (text.length < 40 && /^\S+$/.test(text) && !/[。！？]/.test(text)) return [text];
  return text
    .split(/(?<=[.!?])[ \t]|[\n\r]|(?<=[。！？])/)
    .map((part) => part.replace(/[ \t]+/g, ' ').trim())
    .filter((part) => part !== '');
}

/**
 * Values for programs: only those that specifications list, because a value of the server's choice can be an
 * instruction to the model that reads the schema. Source: JSON Schema 2020-12, Core and Validation; RFC 4648; RFC
 * 2045.
 */
const mechanical: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    type: 'string number integer boolean object array null',
    format:
      'date-time time date duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference uuid uri-template json-pointer relative-json-pointer regex',
    $schema:
      'https://json-schema.org/draft/2020-12/schema https://json-schema.org/draft/2019-09/schema http://json-schema.org/draft-07/schema# http://json-schema.org/draft-07/schema http://json-schema.org/draft-06/schema# http://json-schema.org/draft-04/schema#',
    contentEncoding: '7bit 8bit binary quoted-printable base16 base32 base64',
    contentMediaType: mediaTypes(),
    mimeType: mediaTypes(),
    taskSupport: 'forbidden optional required',
    audience: 'user assistant',
  }).map(([key, values]) => [key, new Set(values.split(' '))]),
);

/** Media types that file servers use. Any other one is shown to the user once. */
function mediaTypes(): string {
  return [
    'application/json application/ld+json application/xml application/yaml application/pdf application/zip application/gzip',
    'application/javascript application/octet-stream application/x-www-form-urlencoded text/plain text/html text/css text/csv',
    'text/markdown text/xml text/javascript text/html;profile=mcp-app image/png image/jpeg image/gif image/webp image/svg+xml',
    'image/x-icon audio/mpeg audio/wav audio/ogg video/mp4 video/webm',
  ].join(' ');
}

/**
 * Whether a value is not text for a model. A name in `required` or a reference counts as mechanical only if its target
 * is declared, where it is read as text.
 */
function isMechanical(value: string, { key, holder, schema }: Place): boolean {
  if (key === 'required') return Object.hasOwn(objectOrEmpty(holder['properties']), value);
  if (key === '$ref' || key === '$dynamicRef') return schema !== undefined && isResolved(schema, value);
  return mechanical.get(key)?.has(value) === true;
}

/** Whether a reference resolves within `schema`: as a JSON Pointer, or as the name of an anchor. */
function isResolved(schema: JsonObject, reference: string): boolean {
  const target = referredBy(schema, reference);
  if (isObject(target) || typeof target === 'boolean') return true;
  return /^#[A-Za-z_]/.test(reference) && hasAnchor(schema, reference.slice(1));
}

function hasAnchor(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((item) => hasAnchor(item, name));
  if (!isObject(value)) return false;
  if (value['$anchor'] === name || value['$dynamicAnchor'] === name) return true;
  return Object.values(value).some((member) => hasAnchor(member, name));
}

/** Keywords whose members have names that the server chose. */
const maps: ReadonlySet<string> = new Set([
  ...[
    'properties',
    'patternProperties',
    '$defs',
    'definitions',
    'dependentSchemas',
    'dependentRequired',
    'dependencies',
  ],
]);

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
