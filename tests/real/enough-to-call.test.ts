/**
 * Whoever makes up arguments from what is shown of a tool makes up some that its server takes: held for every tool of the thirteen
 * real servers of the bench, in lists, in signatures, and in what the tools of gateway, meta and code answer.
 */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src-main/core/base/json.ts';
import { type CatalogEntry, usableSchema } from '../../src-main/core/catalog/catalog.ts';
import { leavesOut } from '../../src-main/core/condense/signature.ts';
import { foundTools } from '../../src-main/core/modes/found-tools.ts';
import { gatewayMode } from '../../src-main/core/modes/gateway.ts';
import { helperTools } from '../../src-main/core/modes/index.ts';
import type { HelperContext } from '../../src-main/core/modes/mode.ts';
import { shownTool } from '../../src-main/core/modes/shown-tool.ts';
import { argumentsFor, validatorOf } from '../core/condense/arbitrary-arguments.ts';
import { readSignature } from '../core/condense/read-signature.ts';
import { serverWith } from '../core/catalog/catalog-of.ts';
import { helperContext } from '../core/modes/helper-context.ts';

const isInstalled = existsSync(new URL('../../.cache/bench/servers/.installed', import.meta.url));
if (!isInstalled)
  console.warn('SKIPPED: what the thirteen servers of the bench take. npm run bench -- tokens installs them.');

/** The parts of the bench that are used here. */
interface Bench {
  readonly Material: new () => { remove(): void };
  readonly realServers: (material: object) => Record<string, { command: string; args: string[]; env: object }>;
  readonly StdioClient: new (
    command: readonly string[],
    env: object,
  ) => { initialize(): Promise<unknown>; listTools(): Promise<JsonObject[]>; close(): Promise<void> };
}

async function loadBench(): Promise<Bench> {
  const load = (file: string): Promise<unknown> => import(new URL(`../../scripts/bench/${file}`, import.meta.url).href);
  const [servers, client] = await Promise.all([load('real-servers.mjs'), load('stdio-client.mjs')]);
  return { ...(servers as object), ...(client as object) } as Bench;
}

describe.skipIf(!isInstalled)('what is shown of real tools is enough to call them', () => {
  let material: { remove(): void } | undefined;
  let context: HelperContext;
  let tools: readonly CatalogEntry[];

  beforeAll(async () => {
    const { Material, realServers, StdioClient } = await loadBench();
    material = new Material();
    const lists = Object.entries(realServers(material)).map(async ([name, { command, args, env }]) => {
      const client = new StdioClient([command, ...args], { ...process.env, ...env });
      await client.initialize();
      const listed = await client.listTools();
      await client.close();
      return serverWith(name, { tools: listed });
    });
    context = helperContext(await Promise.all(lists));
    ({ tools } = context.catalog);
  }, 120_000);
  afterAll(() => material?.remove());

  function refused({ definition }: CatalogEntry, shown: JsonObject): unknown[] {
    const fits = validatorOf(usableSchema(definition));
    const made = argumentsFor(shown, 4);
    return made.filter((args) => !fits(args));
  }

  async function jsonOf(name: string, input: JsonObject): Promise<unknown> {
    const result = (await helperTools.get(name)?.run(input, context)) as { content: { text: string }[] };
    return JSON.parse(result.content[0]?.text ?? '');
  }

  test.each(['shape', 'lean'] as const)('in a list at level %s', (level) => {
    expect(tools.length).toBeGreaterThan(200);
    for (const tool of tools) {
      const shown = shownTool(tool, { level })['inputSchema'] as JsonObject;
      expect([tool.id, refused(tool, shown)]).toEqual([tool.id, []]);
    }
  });

  /** What is marked leads to the schema; all but a few are told whole. */
  function requireEnough(lines: readonly (readonly [CatalogEntry, string])[]): void {
    for (const [tool, line] of lines) {
      const shown = readSignature(line);
      expect([tool.id, shown === undefined]).toEqual([tool.id, leavesOut(line)]);
      if (shown !== undefined) expect([line, refused(tool, shown)]).toEqual([line, []]);
    }
    expect(lines.filter(([, line]) => leavesOut(line)).length).toBeLessThan(lines.length / 15);
  }

  test('in the lines of search_tools', () => {
    const lines = foundTools([...tools.slice(0, 2), ...tools], false, context).slice(2);
    requireEnough(lines.map((line, index) => [tools[index] as CatalogEntry, String(line['sig'])]));
  });

  test('in the lines of proxy-dispatch', async () => {
    const input = { action: 'search', query: 'e', limit: 500 };
    const facts = tools.map(({ server }) => ({ name: server }));
    Object.defineProperty(context, 'admin', { value: { list: () => facts }, enumerable: true });
    const { results } = (await jsonOf('proxy-dispatch', input)) as { results: JsonObject[] };
    const lines = results.map(({ alias, name, signature }) => {
      const tool = tools.find((one) => one.name === name && context.catalog.aliases.get(one.server) === alias);
      return [tool as CatalogEntry, String(signature)] as const;
    });
    expect(lines.length).toBeGreaterThan(50);
    requireEnough(lines);
  });

  test("in meta's catalog, by names alone or with a signature", async () => {
    const rows = (await jsonOf('catalog_tools', {})) as { parameters: string[]; sig?: string }[];
    requireEnough(
      rows.map(({ parameters, sig }, index) => [tools[index] as CatalogEntry, sig ?? parameters.join(', ')]),
    );
  });

  test('in the list of sub-tools that a tool of gateway gives', async () => {
    for (const server of context.catalog.servers) {
      const name = gatewayMode.listed(context)[context.catalog.servers.indexOf(server)]?.['name'];
      const told = await gatewayMode
        .find?.(String(name), context)
        ?.run({}, context)
        .then(
          () => '',
          (error: Error) => error.message,
        );
      for (const tool of context.catalog.lookup.tools.of(server)) {
        const line = (told ?? '').split('\n').find((one) => one.startsWith(`  - ${tool.name}: `)) ?? '';
        const required = /\(required: (.*?)\)(?: \[|$)/.exec(line)?.[1] ?? '';
        const optional = / \[(?=[^[]*\?)(.*)\]$/.exec(line)?.[1] ?? '';
        const parameters = [required, optional].filter((part) => part !== '').join(', ');
        const shown = readSignature(parameters);
        if (shown !== undefined) expect([line, refused(tool, shown)]).toEqual([line, []]);
      }
    }
  });

  test('and every sub-tool is there in the list of gateway with what it does and what it needs', () => {
    const texts = gatewayMode.listed(context).map(({ description }) => String(description));
    let bare = 0;
    for (const [index, server] of context.catalog.servers.entries()) {
      const text = texts[index] ?? '';
      expect(text.length).toBeLessThanOrEqual(2048);
      for (const { name, definition } of context.catalog.lookup.tools.of(server)) {
        const [, told] = new RegExp(`(?:: |, )${name}( \\(|, |$)`).exec(text) ?? [];
        expect([server, name, told]).toEqual([server, name, expect.any(String)]);
        if (told !== ' (' && definition['description'] !== undefined) bare += 1;
      }
    }
    expect(bare).toBe(0);
  });
});
