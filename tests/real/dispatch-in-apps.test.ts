/**
 * What a model receives for a call in mode `dispatch` in real client apps, some of which pass on only `structuredContent`. A
 * scripted model replaces theirs; `npm run test:clients` installs and runs them.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtureCommand } from '../fixtures/spawn-fixture.ts';
import { type BuiltCore, shimCommand, startBuiltCore } from './built-core.ts';
import { PrivateHome } from './private-home.ts';
import { bigClientsWanted, fileOf, havePackages, programOf } from './real-packages.ts';
import { runProgram } from './run-program.ts';
import { startScriptedModel } from './taps/scripted-model.ts';

const present = bigClientsWanted && (await havePackages());
const opencode = fileOf('opencode-linux-x64-baseline', 'bin/opencode');

/** A call, and its server's result: as structured content and as text. */
const call = { action: 'call', connection: 'x', tool: 'structured', arguments: {} };
const answer = /\\*"answer\\*": ?42/;

let home: PrivateHome;
let core: BuiltCore;

beforeAll(async () => {
  home = new PrivateHome();
  core = await startBuiltCore({ x: fixtureCommand('compat-results') }, home, { mode: 'dispatch' });
}, 60_000);

afterAll(async () => {
  await core?.[Symbol.asyncDispose]();
  home?.[Symbol.dispose]();
});

function writeInHome(path: string, text: string): void {
  const file = join(home.env['HOME'] ?? '', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Prepares an app to send one prompt to the model at `url`, with Tooltray connected by `entry`. */
type Prepare = (
  url: string,
  entry: { readonly command: string; readonly args: string[]; readonly env: Readonly<Record<string, string>> },
) => { readonly program: { command: string; args: string[] }; readonly env?: Record<string, string> };

const question = 'What is the answer?';

const claude: Prepare = (url, entry) => {
  const servers = { mcpServers: { tooltray: entry } };
  const { command, args } = programOf('@anthropic-ai/claude-code');
  const more = ['--mcp-config', JSON.stringify(servers), '--strict-mcp-config', '--allowedTools', 'mcp__tooltray'];
  return {
    program: { command, args: [...args, '-p', question, ...more] },
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  };
};

const codex: Prepare = (url, entry) => {
  writeInHome(
    '.codex/config.toml',
    `model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
[mcp_servers.tooltray]
command = ${JSON.stringify(entry.command)}
args = ${JSON.stringify(entry.args)}
env = { TOOLTRAY_HOME = ${JSON.stringify(entry.env['TOOLTRAY_HOME'])} }
`,
  );
  const { command, args } = programOf('@openai/codex');
  const free = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
  return { program: { command, args: [...args, 'exec', ...free, question] } };
};

const gemini: Prepare = (url, entry) => {
  const settings = {
    mcpServers: { tooltray: { ...entry, trust: true } },
    security: { auth: { selectedType: 'gemini-api-key' } },
    telemetry: { enabled: false },
  };
  writeInHome('.gemini/settings.json', JSON.stringify(settings));
  const { command, args } = programOf('@google/gemini-cli');
  return {
    program: { command, args: [...args, '--approval-mode', 'yolo', '-m', 'gemini-2.5-flash', '-p', question] },
    env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  };
};

const open: Prepare = (url, entry) => {
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `${url}/v1`, apiKey: 'none' },
    models: { scripted: { name: 'scripted', tool_call: true } },
  };
  const config = {
    provider: { scripted: provider },
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    mcp: { tooltray: { type: 'local', command: [entry.command, ...entry.args], environment: entry.env } },
  };
  writeInHome('.config/opencode/opencode.json', JSON.stringify(config));
  return {
    program: { command: opencode, args: ['run', question] },
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
  };
};

test('an SDK client that reads only structuredContent gets the result', async () => {
  const { command, args } = shimCommand('sdk');
  const client = new Client({ name: 'structured-only', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args, env: { ...home.env } }));
  const result = await client.callTool({ name: 'proxy-dispatch', arguments: call });
  await client.close();
  expect(JSON.stringify(result.structuredContent ?? result.content)).toMatch(answer);
});

describe.skipIf(!present)('a call in mode dispatch', () => {
  test.each([
    ['Claude Code', 'claude-code', claude],
    ['Codex', 'codex', codex],
    ['Gemini CLI', 'gemini-cli', gemini],
    ...(existsSync(opencode) ? [['opencode', 'opencode', open] as const] : []),
  ] as const)(
    '%s passes its model the whole result',
    async (_name, app, prepare) => {
      await using model = await startScriptedModel({ tool: /proxy.dispatch$/, args: call });
      const entry = { ...shimCommand(app), env: { TOOLTRAY_HOME: home.env['TOOLTRAY_HOME'] ?? '' } };
      const { program, env } = prepare(model.url, entry);
      const { stdout, stderr } = await runProgram(program.command, program.args, {
        env: { ...home.env, ...env },
        cwd: home.workFolder,
      });
      expect({ given: model.given, said: model.given ? '' : stdout + stderr, asked: model.asked }).toMatchObject({
        given: expect.stringMatching(answer) as string,
        said: '',
      });
    },
    120_000,
  );
});
