/** `import`, `add` with a pasted text and `--config` read the file of every dialect alike. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { dialects } from '../../../src-main/core/config/dialects/dialect-table.ts';
import { writers } from '../../core/config/dialects/writers.ts';
import { CliHome } from '../cli-home.ts';

interface Answers {
  readonly id: string;
  readonly imported: {
    readonly servers: readonly { readonly name: string; readonly endpoint: string }[];
    readonly skipped: readonly string[];
  };
  readonly added: {
    readonly servers: readonly { readonly name: string; readonly entry: Readonly<Record<string, unknown>> }[];
    readonly skipped: readonly string[];
  };
  readonly used: {
    readonly ok: boolean;
    readonly servers: readonly string[];
    readonly problems: readonly { readonly suggestion?: string }[];
  };
}

let answers: ReadonlyMap<string, Answers> = new Map();

beforeAll(async () => {
  await using home = new CliHome({});
  const fixture = join(import.meta.dirname, 'ways-in.fixture.ts');
  const env = { ...process.env, HOME: home.path, TOOLTRAY_HOME: home.path };
  const { stdout } = await promisify(execFile)(process.execPath, [fixture, join(home.path, 'files')], { env });
  const lines = stdout.trim().split('\n');
  answers = new Map(lines.map((line) => JSON.parse(line) as Answers).map((one) => [one.id, one]));
}, 120_000);

// Mini-A's format is not stored in files, and OpenHands' lists name no headers: both have their own tests.
test('every dialect has a file here', () => {
  const written = new Set(writers.map(({ id }) => id.split(/[ ,]/)[0]));
  expect(dialects.map(({ id }) => id).filter((id) => !written.has(id))).toEqual(['openhands', 'mini-a']);
});

/** Products whose format Tooltray reads directly; other files are reported with the command that imports them. */
const isUsed = ({ file, text }: (typeof writers)[number]): boolean =>
  /\.json$/.test(file) && /^\{\s*"(?:inputs"[^[]*\[\],\s*"servers|servers|mcpServers)"/.test(text({}));

describe.each(writers.map((writer) => [writer.id, writer] as const))('%s', (id, writer) => {
  const both = ['local', 'net'];

  test('is read by import and add alike', () => {
    const { imported, added } = answers.get(id) ?? expect.fail(`There is no answer for ${id}.`);
    expect(imported.servers.map(({ name }) => name)).toEqual(both);
    expect(added.servers.map(({ name }) => name)).toEqual(both);
    // A similar product's settings are reported.
    expect(imported.skipped).toEqual(id === 'toolmux' ? [expect.stringContaining('cache_model') as string] : []);
    expect(added.skipped).toEqual(imported.skipped);
    expect(imported.servers.map(({ endpoint }) => endpoint.split(' ')[0])).toEqual(
      added.servers.map(({ entry }) => entry['command'] ?? entry['url']),
    );
    // Header values are masked in both.
    expect(JSON.stringify([imported, added])).not.toContain('v2');
  });

  test(`${isUsed(writer) ? 'is used' : 'is named with its import'} by --config`, () => {
    const { used } = answers.get(id) ?? expect.fail(`There is no answer for ${id}.`);
    expect([used.ok, used.servers]).toEqual(isUsed(writer) ? [true, both] : [false, []]);
    if (!isUsed(writer)) expect(used.problems[0]?.suggestion).toContain('tooltray import --file');
  });
});

test('import names a file without servers', async () => {
  await using home = new CliHome({});
  const file = join(home.path, 'mcp.json');
  writeFileSync(file, '{"mcpServers": []}');
  const { code, data } = await home.json('import', '--file', file, '--dry-run');
  expect(code).toBe(1);
  expect(data).toMatchObject({ error: { code: 'not_found', message: expect.stringContaining(file) as string } });
});
