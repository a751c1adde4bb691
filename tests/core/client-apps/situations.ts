/**
 * The states of an app's config file, and the expected result of an install: written by hand per format, not with our
 * writers.
 */
import type { KnownApp } from '../../../src-main/core/client-apps/known-app.ts';

export interface Situation {
  readonly name: string;
  /** undefined: no file. */
  readonly before: string | undefined;
  /** After the install; undefined: refused, with nothing written. */
  readonly after: string | undefined;
  /** After an uninstall, if different from `before`. */
  readonly uninstalled?: string;
  readonly how?: 'read-only' | 'link';
}

type Entry = Readonly<Record<string, unknown>>;

const padding = 'x'.repeat(100);

export function situationsOf(app: KnownApp, entry: Entry): Situation[] {
  if (app.format === 'toml') return tomlSituations(app, entry);
  return app.format === 'yaml' ? yamlSituations(app, entry) : jsonSituations(app, entry);
}

function jsonSituations({ container: [key = ''] }: KnownApp, entry: Entry): Situation[] {
  const ours = (indent: string, unit = '  '): string => `"tooltray": ${json(entry, indent, unit)}`;
  const alone = `{\n  "${key}": {\n    ${ours('    ')}\n  }\n}\n`;
  const others = (added: string, comma = ''): string =>
    `// mine\n{\n  "first": [1,2],   // odd  spacing\n  "${key}": {\n    /* a */ "other": { "command":"x" }${added}${comma}\n  },\n\n  "last": 1.50${comma}\n}\n`;
  const withOurs = others(`,\n    ${ours('    ')}`);
  const old = `{\n  "${key}": {\n    "tooltray": { "command": "/old", "args": ["stdio"] },\n    "other": { "command": "x" }\n  }\n}\n`;
  const tabbed = (text: string): string =>
    text.replaceAll('  "', '\t"').replaceAll('  \t', '\t\t').replaceAll('\n  }', '\n\t}');
  const tabs = `{\n\t"${key}": {\n\t\t"other": {}\n\t}\n}\n`;
  const big = (added: string): string =>
    `{\n  "pad": [\n${`    "${padding}",\n`.repeat(48_000)}    0\n  ],\n  "${key}": {\n    "other": {}${added}\n  }\n}\n`;
  return [
    { name: 'missing', before: undefined, after: alone },
    { name: 'empty', before: '', after: alone },
    { name: 'only comments', before: '// mine\n', after: `// mine\n${alone}` },
    { name: 'other servers', before: others(''), after: withOurs },
    {
      name: 'our entry, old',
      before: old,
      after: old.replace('{ "command": "/old", "args": ["stdio"] }', inline(entry)),
      uninstalled: old.replace(/ {4}"tooltray".*\n/, ''),
    },
    {
      name: 'one line',
      before: `{"${key}":{"other":{"command":"x"}}}`,
      after: `{"${key}":{"other":{"command":"x"}, "tooltray": ${inline(entry)}}}`,
    },
    { name: 'CRLF', before: crlf(others('')), after: crlf(withOurs) },
    { name: 'byte order mark', before: `\uFEFF${others('')}`, after: `\uFEFF${withOurs}` },
    { name: 'tabs', before: tabs, after: tabbed(tabs.replace('{}', `{},\n\t\t${ours('\t\t', '\t')}`)) },
    { name: 'trailing commas', before: others('', ','), after: others(`,\n    ${ours('    ')}`, ',') },
    { name: '5 MB', before: big(''), after: big(`,\n    ${ours('    ')}`) },
    { name: 'read-only', before: others(''), after: undefined, how: 'read-only' },
    { name: 'a link', before: others(''), after: withOurs, how: 'link' },
    { name: 'invalid', before: `{ "${key}": {`, after: undefined },
    { name: 'something else in its place', before: `{ "${key}": [] }`, after: undefined },
    { name: 'defined twice', before: `{ "${key}": {}, "${key}": {} }`, after: undefined },
  ];
}

function tomlSituations({ container: [key = ''] }: KnownApp, entry: Entry): Situation[] {
  const { env, ...plain } = entry as { env?: Record<string, string> };
  const lines = Object.entries(plain)
    .map(([name, value]) => `${name} = ${toml(value)}\n`)
    .join('');
  const variables = Object.entries(env ?? {})
    .map(([name, value]) => `${name} = ${toml(value)}\n`)
    .join('');
  const ours = `[${key}.tooltray]\n${lines}${variables === '' ? '' : `\n[${key}.tooltray.env]\n${variables}`}`;
  const others = `# mine\nmodel = "x"   # odd  spacing\n\n[${key}.other]\ncommand = 'y'\nargs = [\n  "a", # first\n  "]",\n]\n\n[last]\nbig = 9223372036854775807\nday = 2026-01-02\n`;
  const old = `a = 1\n\n[${key}.tooltray]\ncommand = "/old"\n\n[${key}.tooltray.env]\nX = "1"\n\n# about z\n[z]\n`;
  const padded = (lines: number): string =>
    `pad = [\n${`  "${padding}",\n`.repeat(lines)}]\n\n[${key}.other]\ncommand = "y"\n`;
  const [large, big] = [padded(4_800), padded(48_000)];
  return [
    { name: 'missing', before: undefined, after: ours },
    { name: 'empty', before: '', after: ours },
    { name: 'only comments', before: '# mine\n', after: `# mine\n\n${ours}` },
    { name: 'other servers', before: others, after: `${others}\n${ours}` },
    {
      name: 'our entry, old',
      before: old,
      after: `a = 1\n\n${ours}\n# about z\n[z]\n`,
      uninstalled: 'a = 1\n\n# about z\n[z]\n',
    },
    { name: 'one line', before: `${key}.other.command = "y"`, after: `${key}.other.command = "y"\n\n${ours}` },
    { name: 'CRLF', before: crlf(others), after: crlf(`${others}\n${ours}`) },
    { name: 'byte order mark', before: `\uFEFF${others}`, after: `\uFEFF${others}\n${ours}` },
    {
      name: 'tabs',
      before: `[${key}.other]\n\tcommand\t=\t"y"\n`,
      after: `[${key}.other]\n\tcommand\t=\t"y"\n\n${ours}`,
    },
    { name: 'trailing commas', before: 'a = [\n  1,\n]\n', after: `a = [\n  1,\n]\n\n${ours}` },
    { name: '500 kB', before: large, after: `${large}\n${ours}` },
    { name: '5 MB', before: big, after: `${big}\n${ours}` },
    { name: 'read-only', before: others, after: undefined, how: 'read-only' },
    { name: 'a link', before: others, after: `${others}\n${ours}`, how: 'link' },
    { name: 'invalid', before: `[${key}\n`, after: undefined },
    { name: 'something else in its place', before: `${key} = 1\n`, after: undefined },
    { name: 'an inline table', before: `${key} = { other = { command = "y" } }\n`, after: undefined },
  ];
}

function yamlSituations({ container: [key = ''] }: KnownApp, entry: Entry): Situation[] {
  const ours = (indent: string): string => yaml({ tooltray: entry }, indent);
  const alone = `${key}:\n${ours('  ')}`;
  const others = (added: string): string =>
    `# mine\nfirst:   1   # odd  spacing\n${key}:\n  # a\n  other: {cmd: x}   # b\n  more:\n      cmd: "y"\n${added}\n# about last\nlast: |\n    text\n`;
  const old = `${key}:\n  tooltray:\n    cmd: /old\n  other:\n    cmd: x\n`;
  const big = (added: string): string =>
    `pad: |\n${`  ${padding}\n`.repeat(48_000)}${key}:\n  other:\n    cmd: x\n${added}`;
  return [
    { name: 'missing', before: undefined, after: alone },
    { name: 'empty', before: '', after: alone },
    { name: 'only comments', before: '# mine\n', after: `# mine\n${alone}` },
    { name: 'other servers', before: others(''), after: others(ours('  ')) },
    {
      name: 'our entry, old',
      before: old,
      after: old.replace('  tooltray:\n    cmd: /old\n', ours('  ')),
      uninstalled: `${key}:\n  other:\n    cmd: x\n`,
    },
    {
      name: 'one line',
      before: `{${key}: {other: {cmd: x}}}`,
      after: `{${key}: {other: {cmd: x}, "tooltray":${JSON.stringify(entry)}}}`,
    },
    { name: 'CRLF', before: crlf(others('')), after: crlf(others(ours('  '))) },
    { name: 'byte order mark', before: `\uFEFF${others('')}`, after: `\uFEFF${others(ours('  '))}` },
    { name: 'tabs', before: `${key}:\n\tother: 1\n`, after: undefined },
    { name: 'trailing commas', before: `a: [1, 2,]\n${key}: {}\n`, after: `a: [1, 2,]\n${alone}` },
    { name: '5 MB', before: big(''), after: big(ours('  ')) },
    { name: 'read-only', before: others(''), after: undefined, how: 'read-only' },
    { name: 'a link', before: others(''), after: others(ours('  ')), how: 'link' },
    { name: 'invalid', before: `${key}: [`, after: undefined },
    { name: 'something else in its place', before: `${key}:\n  - a\n`, after: undefined },
    { name: 'two documents', before: `a: 1\n---\nb: 2\n`, after: undefined },
  ];
}

/** Short lists on one line, everything else one item per line. */
function json(value: unknown, indent: string, unit: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, one]) => `${indent}${unit}"${key}": ${json(one, indent + unit, unit)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, one]) => `"${key}": ${inline(one)}`)
    .join(', ')} }`;
}

function toml(value: unknown): string {
  return Array.isArray(value) ? `[ ${value.map(toml).join(', ')} ]` : JSON.stringify(value);
}

function yaml(value: Entry, indent: string): string {
  const scalar = (one: unknown): string => (typeof one === 'string' && /^\d/.test(one) ? `"${one}"` : String(one));
  return Object.entries(value)
    .map(([key, one]) => {
      if (Array.isArray(one))
        return `${indent}${key}:\n${one.map((item) => `${indent}  - ${scalar(item)}\n`).join('')}`;
      if (typeof one === 'object' && one !== null) return `${indent}${key}:\n${yaml(one as Entry, `${indent}  `)}`;
      return `${indent}${key}: ${scalar(one)}\n`;
    })
    .join('');
}

function crlf(text: string): string {
  return text.replaceAll('\n', '\r\n');
}
