/** `--config`, `import` and `add` with pasted text read another product's file alike. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writers } from '../../core/config/dialects/writers.ts';
import { CliHome } from '../cli-home.ts';

const command = ['npx', ['-y', 'pkg', '--flag', 'a b'], { KEY: 'v1' }] as const;
const address = ['https://a.example/mcp', { 'X-Key': 'v2' }] as const;

/** The value of an answer in JSON; what is told beside it goes to stderr. */
async function answer(home: CliHome, input: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await home.runWith({ input }, ...args, '--json');
  return JSON.parse(stdout) as Record<string, unknown>;
}

const namesIn = (rows: unknown): readonly string[] =>
  (rows as readonly (string | { readonly name: string })[])
    .map((row) => (typeof row === 'string' ? row : row.name))
    .toSorted();

test.each([
  ['claude-code', 'is used'],
  ['vscode', 'is used'],
  ['opencode', 'is named, with the command that imports it'],
  ['zed', 'is named, with the command that imports it'],
  ['codex', 'is named, with the command that imports it'],
  ['goose', 'is named, with the command that imports it'],
])('reads the file of %s in import and add, and with --config it %s', async (id, how) => {
  const writer = writers.find((one) => one.id === id);
  if (writer === undefined) throw new Error(`There is no writer ${id}.`);
  await using home = new CliHome({});
  const file = join(home.path, writer.file.split('/').at(-1) ?? '');
  const text = writer.text({ local: writer.command(...command), net: writer.address(...address) });
  writeFileSync(file, text);
  const [imported, added, used] = await Promise.all([
    answer(home, '', 'import', '--file', file, '--dry-run'),
    answer(home, text, 'add', '-', '--dry-run'),
    answer(home, '', 'config', 'validate', '--config', file),
  ]);
  const both = ['local', 'net'];
  expect([namesIn(imported['servers']), namesIn(added['servers'])]).toEqual([both, both]);
  expect(namesIn(used['servers'])).toEqual(how === 'is used' ? both : []);
  expect(used['ok']).toBe(how === 'is used');
  if (how !== 'is used') expect(JSON.stringify(used['problems'])).toContain('tooltray import');
  expect(JSON.stringify([imported['servers'], added['servers']])).not.toContain('v2');
});
