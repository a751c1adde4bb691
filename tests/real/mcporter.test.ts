/** mcporter with six real servers, over stdio and HTTP: lists their tools and calls one of each. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shimCommand } from './built-core.ts';
import { realCalls } from './real-calls.ts';
import { havePackages, programOf } from './real-packages.ts';
import { type Outcome, runProgram } from './run-program.ts';
import { openWorld, type World } from './world.ts';

const present = await havePackages();

describe.skipIf(!present)('mcporter', () => {
  let world: World;
  let configFile: string;

  beforeAll(async () => {
    world = await openWorld();
    const { env, path } = world.home;
    configFile = join(path, 'mcporter.json');
    const stdio = (mode: string): object => ({
      ...shimCommand('mcporter', '--mode', mode),
      env: { TOOLTRAY_HOME: env['TOOLTRAY_HOME'] },
    });
    const http = (mode: string): object => ({ url: `${world.core.url}/mode/${mode}` });
    const mcpServers = {
      'stdio-proxy': stdio('proxy'),
      'stdio-search': stdio('search'),
      'http-proxy': http('proxy'),
      'http-search': http('search'),
    };
    writeFileSync(configFile, JSON.stringify({ mcpServers }));
  }, 120_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  function mcporter(...more: string[]): Promise<Outcome> {
    const { command, args } = programOf('mcporter');
    const { env, workFolder } = world.home;
    return runProgram(command, [...args, '--config', configFile, ...more], { env, cwd: workFolder });
  }

  test('lists every tool over stdio and HTTP, and three in mode search', async () => {
    const { code, stdout } = await mcporter('list', '--json');
    const { servers } = JSON.parse(stdout) as {
      servers: { name: string; status: string; tools: { name: string }[] }[];
    };
    const listed = servers.map(({ name, status, tools }) => [name, status, tools.map((tool) => tool.name).sort()]);
    const search = ['call_tool', 'read_resource', 'search_tools'];
    expect(listed).toEqual([
      ['stdio-proxy', 'ok', world.names],
      ['stdio-search', 'ok', search],
      ['http-proxy', 'ok', world.names],
      ['http-search', 'ok', search],
    ]);
    expect(code).toBe(0);
  });

  test.each(['stdio', 'http'])(
    'calls tools of every server and gets the expected results: %s',
    async (door) => {
      for (const { tool, args, says } of realCalls(world.material, `mcporter ${door}`)) {
        const { code, stdout, stderr } = await mcporter(
          'call',
          `${door}-proxy.${tool}`,
          '--args',
          JSON.stringify(args),
        );
        expect({ tool, code, stderr }).toEqual({ tool, code: 0, stderr: '' });
        for (const expected of says) expect(stdout).toContain(expected);
      }
    },
    60_000,
  );

  test.each(['stdio', 'http'])('calls a tool through call_tool in mode search: %s', async (door) => {
    const input = { name: 'everything_echo', arguments: { message: `hi ${door}` } };
    const { stdout } = await mcporter('call', `${door}-search.call_tool`, '--args', JSON.stringify(input));
    expect(stdout).toBe(`Echo: hi ${door}\n`);
  });
});
