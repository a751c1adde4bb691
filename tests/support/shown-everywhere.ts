/**
 * Everything that apps and models are shown of the servers, in every mode and over every endpoint, to check what must
 * not appear.
 */
import { allModes } from '../../src-main/compat/all-modes.ts';
import { allCases } from './all-cases.ts';
import { HttpClient } from './http-client.ts';
import { ModernClient } from './modern-client.ts';
import type { Params } from './raw-client.ts';
import type { HelloWishes } from './socket-client.ts';
import type { TestCore } from './start-core.ts';

export interface Names {
  readonly server: string;
  /** Names of tools, prompts, and other arguments of helper tools. */
  readonly names: readonly string[];
  /** Search query. */
  readonly query: string;
}

const most = 60;

/** Inputs for a helper tool: each value of its enums, each name in each string field. */
export function inputsFor(schema: unknown, { names, query, server }: Names): readonly Params[] {
  const { properties = {} } = schema as { properties?: Record<string, Params> };
  let inputs: Params[] = [{}];
  const vary = (key: string, values: readonly unknown[]): void => {
    inputs = inputs.flatMap((input) => values.map((value) => ({ ...input, [key]: value }))).slice(0, most);
  };
  for (const [key, { enum: words, type, items }] of Object.entries(properties)) {
    if (Array.isArray(words)) vary(key, withoutPython(words));
    else if (type === 'array')
      vary(key, [names.slice(0, 1), [{ server, tool: names[0] }]].slice(0, items === undefined ? 2 : 1));
    else if (/server|connection/i.test(key) && type === 'string') vary(key, [server]);
    else if (/query|search|pattern/i.test(key)) vary(key, [query]);
    else if (/code|script/i.test(key)) vary(key, [`return await call_tool(${JSON.stringify(names[0])}, {})`]);
    else if (type === 'string') vary(key, names.slice(0, 3));
  }
  return inputs;
}

/** A Python program takes a process, and returns the same as one in JavaScript: `npm run test:long` has both. */
function withoutPython(words: readonly unknown[]): readonly unknown[] {
  return allCases || !words.includes('javascript') ? words : words.filter((word) => word !== 'python');
}

/** Observers: an app over the socket, in some modes or in all, and URLs. */
interface Place {
  readonly modes?: readonly string[];
  readonly hello: HelloWishes;
  readonly paths: (server: string) => readonly string[];
}

const everywhere: Place = { hello: {}, paths: (server) => ['', `/server/${server}`, '/mode/search'] };

/** All responses as one text, including errors. */
export async function shownEverywhere(core: TestCore, names: Names, place: Place = everywhere): Promise<string> {
  const said: unknown[] = [];
  for (const { name: mode } of allModes.modes) {
    if (place.modes?.includes(mode) === false) continue;
    const session = await core.connect({ ...place.hello, mode });
    const shown = [await session.initialize(), ...(await listsOf((method) => session.request(method)))];
    said.push(...shown);
    // All cases: in each mode also the helper tools of every previous mode, listed there or not.
    const listed = JSON.stringify(allCases ? said : shown);
    for (const helper of allModes.helpers.values()) {
      // In `proxy` all of them, listed or not.
      if (mode !== 'proxy' && !listed.includes(`"name":${JSON.stringify(helper.definition.name)}`)) continue;
      for (const input of inputsFor(helper.definition.inputSchema, names)) {
        said.push(await session.callTool(helper.definition.name, input).catch(String));
      }
    }
    for (const name of names.names) said.push(await session.callTool(name).catch(String));
  }
  for (const path of place.paths(names.server)) {
    const http = new HttpClient(`${core.url}${path}`);
    said.push(await http.initialize());
    said.push(...(await listsOf((method) => http.exchange(method))));
    const modern = new ModernClient(new HttpClient(`${core.url}${path}`, true));
    said.push(await modern.once('server/discover'));
    said.push(...(await listsOf((method) => modern.once(method))));
    for (const name of names.names) said.push(await modern.call(name).catch(String));
  }
  return JSON.stringify(said);
}

async function listsOf(ask: (method: string) => Promise<unknown>): Promise<readonly unknown[]> {
  const methods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
  const lists: unknown[] = [];
  for (const method of methods) lists.push(await ask(method).catch(String));
  return lists;
}
