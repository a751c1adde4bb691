/**
 * Foreign input never blocks the core's thread: a megabyte in arguments, lists or results is processed in short turns of the
 * event loop, so that other requests are served. Measured by the CPU time of the thread, not by the clock.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCases } from '../support/all-cases.ts';
import { allModes } from '../../src-main/compat/all-modes.ts';
import type { Params } from '../support/raw-client.ts';
import { openSocket, type SocketClient } from '../support/socket-client.ts';
import { fixture } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const long = 1_000_000;
/**
 * Maximum CPU time of the thread per turn, or on a slow or busy computer as much as JSON.parse needs for so many
 * megabytes of short texts.
 */
const maxTurnMs = 50;
const maxMegabytes = 3;
/** Later attempts exclude loading and compiling. */
const maxTries = 4;

/** In ms of CPU time of the core's thread. */
interface Turn {
  readonly maxMs: number;
  /** Time of JSON.parse for a megabyte, measured at the same time. */
  readonly parseMs: number;
}

interface Reached {
  readonly socketPath: string;
  readonly token: string;
}

class MeasuredCore {
  readonly #child: ChildProcess;
  readonly #home: string;
  readonly #reached: Reached;

  private constructor(child: ChildProcess, home: string, reached: Reached) {
    this.#child = child;
    this.#home = home;
    this.#reached = reached;
  }

  static async start(servers: Record<string, object>): Promise<MeasuredCore> {
    const home = mkdtempSync(join(tmpdir(), 'tooltray-long-'));
    const script = join(import.meta.dirname, '../support/measured-core.ts');
    const child = fork(script, [home, JSON.stringify({ servers, mode: 'search' })], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const [line] = (await once(child.stdout as Readable, 'data')) as [Buffer];
    return new MeasuredCore(child, home, JSON.parse(line.toString()) as Reached);
  }

  async open(mode = 'search'): Promise<SocketClient> {
    const client = await openSocket(this.#reached.socketPath, this.#reached.token, { mode });
    await client.initialize();
    return client;
  }

  /** The longest turn of the core's event loop during the work. */
  async longestTurn(work: () => Promise<unknown>): Promise<Turn> {
    this.#child.send('start');
    await work();
    this.#child.send('stop');
    const [turn] = (await once(this.#child, 'message')) as [Turn];
    return turn;
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
    rmSync(this.#home, { recursive: true, force: true });
  }
}

let core: MeasuredCore;
let client: SocketClient;
beforeAll(async () => {
  core = await MeasuredCore.start({ sized: fixture('sized') });
  client = await core.open('proxy');
});
afterAll(() => core.stop());

/** The longest turn of the best attempt, relative to the limit. */
async function cost(of: MeasuredCore, work: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < maxTries && least > 1; tries++) {
    const { maxMs, parseMs } = await of.longestTurn(work);
    least = Math.min(least, maxMs / Math.max(maxTurnMs, maxMegabytes * parseMs));
  }
  return least;
}

const texts: Readonly<Record<string, (length: number) => string>> = {
  letters: (length) => 'x'.repeat(length),
  mixed: (length) =>
    ['a b.', '{["', '\n', ':/', '<b>', 'Aa_1-'].map((part) => part.repeat(length / 6 / part.length)).join(''),
};

/** For each string parameter of a helper tool, an input in which it is a megabyte long and the others short. */
function inputs(definition: Params): [what: string, input: Params][] {
  const { properties = {} } = (definition['inputSchema'] ?? {}) as {
    properties?: Record<string, { type?: string; enum?: string[] }>;
  };
  const basis = Object.fromEntries(
    Object.entries(properties).flatMap(([name, one]) => {
      if (one.enum !== undefined) return [[name, one.enum[0]]];
      return one.type === 'string' ? [[name, 'x']] : [];
    }),
  );
  const kinds = Object.entries(texts).filter(([kind]) => allCases || kind === 'mixed');
  return Object.keys(properties).flatMap((name) =>
    kinds.map(([kind, make]): [string, Params] => [`${name} ${kind}`, { ...basis, [name]: make(long) }]),
  );
}

test.each([...allModes.helpers.values()].map(({ definition }) => [String(definition['name']), definition] as const))(
  'handles a megabyte of arguments for %s within its time',
  async (name, definition) => {
    const slow: [string, number][] = [];
    for (const [what, input] of inputs(definition)) {
      const share = await cost(core, () => client.exchange('tools/call', { name, arguments: input }));
      if (share > 1) slow.push([what, Math.round(share * 100) / 100]);
    }
    expect(slow).toEqual([]);
  },
);

const manyArguments: Readonly<Record<string, () => Params>> = {
  'a long word': () => ({ kind: `${'a'.repeat(long)}!` }),
  names: () => Object.fromEntries(Array.from({ length: long / 64 }, (_, at) => [`${'name_'.repeat(10)}${at}`, at])),
  'short names': () => ({ kind: Object.fromEntries(Array.from({ length: long / 16 }, (_, at) => [`n${at}`, at])) }),
  items: () => ({ kind: Array.from({ length: long / 8 }, (_, at) => `i${at}`) }),
  'an object of many names': () => ({
    kind: Object.fromEntries(Array.from({ length: long / 64 }, (_, at) => [`${'api_key_'.repeat(6)}${at}`, at])),
  }),
};

test.each(Object.keys(manyArguments))(
  'handles a call with a megabyte of %s as arguments within its time',
  async (kind) => {
    const given = manyArguments[kind]?.() ?? {};
    const direct = { name: 'give', arguments: given };
    const helped = { name: 'call_tool', arguments: { name: 'sized:give', arguments: given } };
    for (const call of [direct, helped])
      expect(await cost(core, () => client.exchange('tools/call', call))).toBeLessThan(1);
  },
);

test.each([
  'text',
  'letters',
  'lines',
  'braces',
  'json',
  'structured',
  'numbers',
  'blocks',
  'links',
  'secrets',
  'error',
])('handles a megabyte result of %s within its time', async (kind) => {
  for (const bytes of [900_000, 1_100_000])
    expect(await cost(core, () => client.callTool('give', { kind, bytes }))).toBeLessThan(1);
});

describe.each(allCases ? ['tools', 'descriptions', 'enums', 'properties', 'braces'] : ['tools', 'enums'])(
  'a list of a megabyte of %s',
  (kind) => {
    let own: MeasuredCore;
    beforeAll(async () => {
      own = await MeasuredCore.start({ small: fixture('sized'), big: fixture('sized', kind, String(long)) });
      const session = await own.open('proxy');
      await until(async () => {
        const { tools } = await session.request('tools/list');
        return (tools as unknown[]).length > 2;
      });
    });
    afterAll(() => own.stop());

    test.each(['proxy', 'search', 'gateway'])('is handled in time in mode %s', async (mode) => {
      const session = await own.open(mode);
      expect(await cost(own, () => session.request('tools/list'))).toBeLessThan(1);
      expect(await cost(own, () => session.callTool('search_tools', { query: 'one thing' }))).toBeLessThan(1);
    });
  },
);

test('answers another client app meanwhile', async () => {
  const other = await core.open();
  /** The slowest ping during the work, in ms. */
  async function longestPing(bytes: number): Promise<number> {
    let longest = 0;
    let isOver = false;
    const work = Promise.all([
      client.callTool('call_tool', { name: 'x'.repeat(bytes), arguments: {} }),
      client.callTool('call_tool', { name: 'sized:give', arguments: { kind: 'x'.repeat(bytes), bytes: 'no number' } }),
      client.callTool('give', { kind: 'json', bytes }),
    ]).finally(() => (isOver = true));
    while (!isOver) {
      const began = performance.now();
      await other.request('ping');
      longest = Math.max(longest, performance.now() - began);
    }
    await work;
    return longest;
  }
  await longestPing(long);
  const short = await longestPing(1000);
  const tries = [await longestPing(long), await longestPing(long), await longestPing(long)];
  expect(Math.min(...tries) / Math.max(10, short)).toBeLessThan(30);
});
