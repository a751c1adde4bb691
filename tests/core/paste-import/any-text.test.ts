/** Any pasted text is parsed or rejected with a known error, and never executed. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../../src-main/core/base/errors.ts';
import { suggestServerName } from '../../../src-main/core/config/dialects/suggest-server-name.ts';
import { parsePasted } from '../../../src-main/core/paste-import/parse-pasted.ts';
import { madeUp } from '../../support/all-cases.ts';

const refusals: ReadonlySet<string> = new Set(['bad_request', 'not_found', 'unsupported']);

/** Fragments with a meaning for one of the parsers. */
const pieces = fc.constantFrom(
  ...['claude', 'codex', 'code', 'mcp', 'add', 'add-json', '--add-mcp', '--', '-e', '--env', '-H', '-t', 'http', 'sse'],
  ...['--timeout', '--name', '--args', '--url', 'npx', '-y', 'docker', 'run', 'A=1', '$A', '${A}', '"', "'", '\\', '`'],
  ...[
    '$(',
    ')',
    '&&',
    '|',
    ';',
    '>',
    '\n',
    ' ',
    '  ',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"command"',
    '"url"',
    '"mcpServers"',
  ],
  ...[
    '{"command":"npx"}',
    '{"name":1}',
    'https://a.example.com/mcp',
    'vscode:mcp/install?',
    'cursor://x/mcp/install?config=',
  ],
  ...[
    'goose://extension?cmd=',
    'https://vscode.dev/redirect?url=',
    '%7B',
    '%',
    '=',
    '[a.b]',
    'servers:',
    '```',
    '#',
    '\u0000',
  ],
);
const lines = fc.array(pieces, { maxLength: 14 }).map((words) => words.join(' '));
const glued = fc.array(pieces, { maxLength: 14 }).map((words) => words.join(''));
/** JSON with the relevant keys and arbitrary contents. */
const configs = fc
  .dictionary(
    fc.constantFrom(
      ...['mcpServers', 'servers', 'mcp', 'command', 'args', 'env', 'url', 'headers', 'name', 'packages', 'remotes'],
      ...['__proto__', 'transport', 'oauth', 'type', 'identifier', 'registryType', 'version', 'server', 'constructor'],
    ),
    fc.jsonValue({ maxDepth: 3 }),
  )
  .chain((inner) => fc.constantFrom(inner, { servers: { x: inner } }, { packages: [inner], name: 'a/b' }, [inner]))
  .map((value) => JSON.stringify(value));

test('reads any text or rejects it with an error code', async () => {
  const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), lines, glued, configs);
  await fc.assert(
    fc.asyncProperty(texts, fc.boolean(), async (text, known) => {
      const found = await parsePasted(text, { isProgram: () => Promise.resolve(known), home: '/home/me' }).catch(
        (error: unknown) => error,
      );
      if (found instanceof Error) {
        expect(found).toBeInstanceOf(AppError);
        expect(refusals).toContain((found as AppError).code);
        return;
      }
      const { servers } = found as Awaited<ReturnType<typeof parsePasted>>;
      expect(servers.length).toBeGreaterThan(0);
      for (const { name, entry, notes } of servers) {
        expect(name.trim()).not.toBe('');
        expect([typeof (entry['command'] ?? entry['url'] ?? entry['type']), Array.isArray(notes)]).toEqual([
          'string',
          true,
        ]);
        expect(suggestServerName(entry).trim()).not.toBe('');
      }
    }),
    madeUp(3_000),
  );
});

test('runs nothing of a text that a shell would run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-pasted-'));
  const file = join(folder, 'ran');
  try {
    const traps = [`touch ${file}`, `$(touch ${file})`, `\`touch ${file}\``, `x; touch ${file}`, `x & touch ${file}`];
    const frames = ['%', 'npx %', 'A="%" npx x', 'claude mcp add x -- npx "%"', `code --add-mcp '{"command":"%"}'`];
    for (const trap of traps) {
      for (const frame of frames) {
        const text = frame.replace('%', () => trap);
        await parsePasted(text, { isProgram: () => Promise.resolve(true), home: folder }).catch(() => undefined);
      }
    }
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
