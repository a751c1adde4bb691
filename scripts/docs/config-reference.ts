/** docs/reference/configuration.md: every key of the configuration file, from the schema that reads it. */
import { z } from 'zod';
import { defaultConfig, serverDefaults } from '../../src-main/core/config/default-config.ts';
import { oauthSchema } from '../../src-main/core/config/read-oauth.ts';
import { entrySchema, settingsSchema } from '../../src-main/core/config/schema.ts';
import { modeValues } from '../../src-main/core/config/mode-names.ts';
import { entryMeanings, oauthMeanings, settingMeanings } from './config-meanings.ts';
import { code, table } from './markdown.ts';

/** The parts of JSON Schema that describe a configuration value. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** A key of the file. `path` has `*` for any name and `[]` for the items of a list. */
export interface ConfigKey {
  readonly path: string;
  readonly type: string;
  /** As JSON; empty if there is none. */
  readonly default: string;
}

const entryDefaults = {
  enabled: true,
  lazy: false,
  initTimeoutSeconds: serverDefaults.initTimeoutMs / 1000,
  callTimeoutSeconds: serverDefaults.callTimeoutMs / 1000,
  maxMessageMB: serverDefaults.maxMessageBytes / 1024 / 1024,
};

/** Throws Error if a key has no meaning, or a meaning has no key. */
export function configReference(): string {
  const settings = keysOf(jsonSchema(settingsSchema), defaultConfig(''));
  const entries = keysOf(jsonSchema(entrySchema), entryDefaults);
  const oauth = keysOf(jsonSchema(oauthSchema), {});
  return `# Configuration reference

Tooltray reads one JSONC file: JSON with comments and trailing commas. \`tooltray status\` prints its path. Changes apply
when you save the file. If a value is invalid, the last valid one stays in use; \`tooltray config validate\` reports
file, line, and reason.

A default in this table applies if the key is absent. A key without a default depends on the client app or the server.

## Example

\`\`\`jsonc
{
  "mode": "auto",
  "servers": {
    "notes": { "command": "npx", "args": ["-y", "some-notes"], "env": { "TOKEN": "\${secret:NOTES_TOKEN}" } },
    "remote": { "url": "https://example.org/mcp", "callTimeoutSeconds": 120 },
  },
  "results": { "thresholds": { "notes": 20000 } },
}
\`\`\`

## Settings

${keyTable(settings, settingMeanings)}

## Server entries

\`servers\` (or \`mcpServers\`) maps a name to an entry with these fields. Files of other products are read with their own
field names; \`tooltray config validate\` reports each field that has no effect.

${keyTable(entries, entryMeanings)}

## OAuth

Fields of \`oauth\` in a server entry. See [Sign in to servers](../how-to/sign-in-to-servers.md).

${keyTable(oauth, oauthMeanings)}

## Variables

Texts of an entry can contain placeholders. A secret is inserted into \`env\`, \`args\`, \`headers\`, \`url\`, and
\`oauth.clientSecret\` when the server starts.

| placeholder | value |
| --- | --- |
| \`\${env:NAME}\`, \`\${env:NAME:-default}\` | environment variable; the default applies if it is unset or empty |
| \`\${secret:NAME}\`, \`\${secret:NAME:-default}\` | secret in the vault |
| \`\${keyring:NAME}\` | the same, as MCPProxy writes it |
| \`\${user:NAME}\` | in a team, a secret of the user; else the same as \`\${secret:NAME}\` |
`;
}

/** JSON Schema of a key; for a key with a short form, of the long form. */
function jsonSchema({ shape }: z.ZodObject): Schema {
  const properties = Object.entries(shape).map(([name, schema]) => {
    const json = z.toJSONSchema(longForm(schema as z.ZodType), { io: 'input', unrepresentable: 'any' });
    return [name, json as Schema] as const;
  });
  return { properties: Object.fromEntries(properties) };
}

function longForm(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return longForm(schema.unwrap() as z.ZodType);
  const isShortened = schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform;
  return isShortened ? (schema.out as z.ZodType) : schema;
}

/** The keys of an object schema and of the objects in it. */
export function keysOf(schema: Schema, defaults: unknown, prefix = ''): ConfigKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const path = prefix + name;
    const usual = (defaults as Readonly<Record<string, unknown>> | undefined)?.[name];
    const own = { path, type: typeText(inner, path), default: defaultText(usual) };
    return [own, ...keysInside(inner, usual, path)];
  });
}

function keysInside(schema: Schema, usual: unknown, path: string): ConfigKey[] {
  const object = [schema, ...(schema.anyOf ?? [])].find(({ properties }) => properties !== undefined);
  if (object !== undefined) return keysOf(object, usual, `${path}.`);
  const { additionalProperties: named, items } = schema;
  if (typeof named === 'object' && named.properties !== undefined) return keysOf(named, undefined, `${path}.*.`);
  return items?.properties === undefined ? [] : keysOf(items, undefined, `${path}[].`);
}

function typeText(schema: Schema, path: string): string {
  const { anyOf, enum: words, const: word, items, additionalProperties: named } = schema;
  // A number or a boolean is also accepted where the value is used as text.
  const type = typeof schema.type === 'object' ? 'string' : schema.type;
  if (path === 'mode') return modeValues.map((mode) => code(JSON.stringify(mode))).join(', ');
  if (anyOf !== undefined) return unionText(anyOf, path);
  if (words !== undefined)
    return words
      .filter((one) => one !== '')
      .map((one) => code(JSON.stringify(one)))
      .join(', ');
  if (word !== undefined) return code(JSON.stringify(word));
  if (type === 'array') return items === undefined ? 'list' : `list of ${plural(typeText(items, ''))}`;
  if (type === 'integer' || type === 'number') return rangeText(schema);
  if (type === 'object' && typeof named === 'object' && Object.keys(named).length > 0)
    return `map of names to ${plural(path === 'appModes' ? 'mode' : typeText(named, ''))}`;
  return type ?? (path === 'profiles' ? 'map of names to objects' : 'object or string');
}

/** A number or a boolean is also accepted where the value is used as text. */
function unionText(anyOf: readonly Schema[], path: string): string {
  const types = new Set(anyOf.filter(({ type }) => type !== 'null').map((one) => typeText(one, path)));
  return types.has('string') && types.has('number') ? 'string' : [...types].join(' or ');
}

function plural(type: string): string {
  return type.startsWith('`') ? `(${type})` : /^\w+$/.test(type) ? `${type}s` : type.replace(/^(\w+)/, '$1s');
}

const largest = Number.MAX_SAFE_INTEGER;

function rangeText({ type, minimum, exclusiveMinimum, maximum }: Schema): string {
  const low = minimum === undefined || minimum === -largest ? undefined : `from ${minimum}`;
  const above = exclusiveMinimum === undefined ? low : `above ${exclusiveMinimum}`;
  const top = maximum === undefined || maximum === largest ? undefined : `to ${maximum}`;
  return [type, above, top].filter((part) => part !== undefined).join(' ');
}

function defaultText(value: unknown): string {
  if (value === undefined) return '';
  const isGroup = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return isGroup ? '' : code(JSON.stringify(value));
}

function keyTable(keys: readonly ConfigKey[], meanings: Readonly<Record<string, string>>): string {
  const missing = keys.filter(({ path }) => meanings[path] === undefined).map(({ path }) => path);
  const unknown = Object.keys(meanings).filter((path) => !keys.some((key) => key.path === path));
  if (missing.length + unknown.length > 0)
    throw new Error(
      `scripts/docs/config-meanings.ts has no meaning of: ${missing.join(', ') || '-'}; and no key named: ${unknown.join(', ') || '-'}`,
    );
  const rows = keys.map((key) => [code(key.path), key.type, key.default, meanings[key.path] as string]);
  return table(['key', 'type', 'default', 'meaning'], rows);
}
