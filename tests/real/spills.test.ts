/** Long results of real servers: spilled, read in parts, and equal to what the servers return directly. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCases } from '../support/all-cases.ts';
import { type Params, type RawChild, spawnRaw } from '../support/raw-client.ts';
import { type BuiltCore, shimCommand, startBuiltCore } from './built-core.ts';
import { PrivateHome } from './private-home.ts';
import { havePackages } from './real-packages.ts';
import { browserIfAny, realServers, type ServerEntry } from './real-servers.ts';

const present = await havePackages();
const browser = present ? browserIfAny() : undefined;

/** How a mode calls a server's tool, and reads a spill. */
interface Way {
  readonly call: (tool: string, args: Params) => [string, Params];
  readonly read: (input: Params) => [string, Params];
}

const ways: Readonly<Record<string, Way>> = {
  search: {
    call: (name, args) => ['call_tool', { name, arguments: args }],
    read: (input) => ['call_tool', { name: 'read_result', arguments: input }],
  },
  proxy: { call: (name, args) => [name, args], read: (input) => ['read_result', input] },
  dispatch: {
    call: (tool, args) => ['proxy-dispatch', { action: 'call', tool, arguments: args }],
    read: (input) => ['proxy-dispatch', { action: 'readresult', ...input }],
  },
};

/** Every mode and every server, each mode with one of them (`npm run test:long`: with all). */
const through = (mode: string): readonly string[] => (allCases ? Object.keys(ways) : [mode]);

const commits = 3000;
const files = 17_000;

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
}

const textOf = (result: Params): string => (result['content'] as Block[]).map(({ text }) => text ?? '').join('\n');

describe.skipIf(!present)('long results of real servers', () => {
  const home = new PrivateHome();
  const entries = realServers(home, browser);
  const { filesystem, git, playwright } = entries as Record<'filesystem' | 'git' | 'playwright', ServerEntry>;
  const tree = join(home.folder('files'), 'tree');
  const repository = home.folder('repository');
  const page = join(home.folder('pages'), 'long.html');
  let core: BuiltCore;

  beforeAll(async () => {
    makeTree(tree);
    makeRepository(repository, home);
    writeFileSync(page, pageText());
    const browsing = { ...playwright, args: [...playwright.args, '--allow-unrestricted-file-access'] };
    core = await startBuiltCore({ filesystem, git, playwright: browsing }, home);
  }, 60_000);
  afterAll(async () => {
    await core?.[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  /** A session in a mode, with its ways to call and read. */
  async function open(mode: string) {
    const { command, args } = shimCommand('test', '--mode', mode);
    const shim = spawnRaw(command, args, { env: home.env, cwd: home.workFolder });
    await shim.client.initialize();
    const way = ways[mode] as Way;
    return {
      call: (tool: string, input: Params): Promise<Params> => shim.client.callTool(...way.call(tool, input)),
      read: async (input: Params): Promise<string> => textOf(await shim.client.callTool(...way.read(input))),
      [Symbol.asyncDispose]: () => shim[Symbol.asyncDispose](),
    };
  }

  async function directly({ command, args, env }: ServerEntry, tool: string, input: Params): Promise<Params> {
    await using raw: RawChild = spawnRaw(command, args, { env: { ...home.env, ...env }, cwd: home.workFolder });
    await raw.client.initialize();
    // Awaited here, because the server is stopped when this function ends.
    return await raw.client.callTool(tool, input);
  }

  test.each(through('search'))(
    'spills a directory tree of 5 MB unchanged, where grep, slice and query find their way: mode %s',
    async (mode) => {
      await using session = await open(mode);
      const direct = textOf(await directly(filesystem, 'directory_tree', { path: tree }));
      expect(direct.length).toBeGreaterThan(5_000_000);
      const file = fileOf(await session.call('filesystem_directory_tree', { path: tree }));
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(direct));
      const found = await session.read({ resultFile: file, op: 'grep', pattern: `document-number-${files - 1}` });
      expect(found).toContain(`document-number-${files - 1}`);
      expect(await session.read({ resultFile: file, op: 'slice', fromLine: 1, toLine: 3 })).not.toBe('');
      const query = `$..[?(@.name=="${fileName(7)}")].type`;
      expect(await session.read({ resultFile: file, op: 'query', query })).toContain('file');
    },
    60_000,
  );

  test.each(through('proxy'))(
    'spills the log of a large repository with every commit: mode %s',
    async (mode) => {
      await using session = await open(mode);
      const given = await session.call('git_log', { path: repository, maxCount: 1000 });
      const file = fileOf(given);
      const text = readFileSync(file, 'utf8');
      for (const number of [commits, commits - 500, commits - 999]) expect(text).toContain(`commit number ${number} `);
      const pattern = `commit number ${commits - 999} `;
      expect(await session.read({ resultFile: file, op: 'grep', pattern })).toContain(pattern);
    },
    60_000,
  );

  test.skipIf(browser === undefined).each(through('dispatch'))(
    'spills the snapshot of a long page, and returns its screenshot: mode %s',
    async (mode) => {
      await using session = await open(mode);
      await session.call('playwright_browser_navigate', { url: `file://${page}` });
      const file = fileOf(await session.call('playwright_browser_snapshot', {}));
      const last = 'Paragraph 1999 of a long page';
      expect(await session.read({ resultFile: file, op: 'grep', pattern: last })).toContain(last);
      // The schema requires both although they have defaults, and is validated if a call goes through a helper tool.
      const shot = await session.call('playwright_browser_take_screenshot', { type: 'png', scale: 'css' });
      const picture = (shot['content'] as Block[]).find(({ type }) => type === 'image');
      expect({ shot: picture === undefined ? textOf(shot) : 'a picture' }).toEqual({ shot: 'a picture' });
      expect(
        Buffer.from(picture?.data ?? '', 'base64')
          .subarray(1, 4)
          .toString(),
      ).toBe('PNG');
    },
    60_000,
  );
});

/** The file name of a spilled result, as a model reads it; throws if there is none. */
function fileOf(result: Params): string {
  const [file] = /\S+[\\/]spills[\\/][\w.-]+\w/.exec(textOf(result)) ?? [];
  if (file === undefined) throw new Error(`Nothing was kept: ${JSON.stringify(result).slice(0, 1000)}`);
  return file;
}

function fileName(number: number): string {
  return `document-number-${number}-${'with a long name '.repeat(13)}.txt`;
}

/** About 5 MB in server-filesystem's format. */
function makeTree(folder: string): void {
  for (let number = 0; number < files; number++) {
    const parent = join(folder, `folder-${number % 40}`);
    if (number < 40) mkdirSync(parent, { recursive: true });
    writeFileSync(join(parent, fileName(number)), '');
  }
}

/** Many commits, imported by git as one stream. */
function makeRepository(folder: string, { env }: PrivateHome): void {
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', folder], { env });
  const stream = Array.from({ length: commits }, (_, at) => {
    const message = `commit number ${at + 1} of a repository that has many`;
    const who = `committer Ada <ada@example.org> ${1_700_000_000 + at} +0000`;
    return `commit refs/heads/main\n${who}\ndata ${message.length}\n${message}\n`;
  });
  execFileSync('git', ['-C', folder, 'fast-import', '--quiet'], { env, input: `${stream.join('\n')}\n` });
}

function pageText(): string {
  const paragraphs = Array.from({ length: 2000 }, (_, at) => `<p>Paragraph ${at} of a long page</p>`);
  return `<!doctype html><title>Long</title>${paragraphs.join('')}`;
}
