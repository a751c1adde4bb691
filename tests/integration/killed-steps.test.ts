/** A core under load that is killed at any moment: the next one has every reported step, complete. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { resolveAppPaths } from '../../src-main/core/base/app-paths.ts';
import type { RpcMethods, StepSummary } from '../../src-main/rpc/contract.ts';
import { sumsOfRows } from '../core/activity/activity-worker/sums-of-rows.ts';
import { ask, listen, type Reached, type Told } from '../rpc/dashboard-client.ts';
import { openSocket, type SocketClient } from '../support/socket-client.ts';
import { until } from '../support/until.ts';
import { allCases } from '../support/all-cases.ts';

interface OwnCore extends Reached {
  readonly child: ChildProcess;
  readonly socketPath: string;
  readonly token: string;
}

async function startProcess(home: string): Promise<OwnCore> {
  const script = join(import.meta.dirname, 'killed-steps-core.ts');
  const child = spawn(process.execPath, [script, home], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url, pageKey, socketPath, token } = JSON.parse(line.toString()) as Record<string, string>;
  return {
    child,
    url: url ?? '',
    host: { pageKey: pageKey ?? '' },
    socketPath: socketPath ?? '',
    token: token ?? '',
  };
}

async function pageOf(core: Reached, input: RpcMethods['steps']['input']): Promise<RpcMethods['steps']['output']> {
  return (await ask(core, 'steps', input)) as unknown as RpcMethods['steps']['output'];
}

/** All recorded steps, newest first. */
async function allSteps(core: Reached): Promise<readonly StepSummary[]> {
  const all: StepSummary[] = [];
  for (let more = true; more;) {
    const page = await pageOf(core, { limit: 1000, ...(all.length > 0 && { beforeId: all.at(-1)?.id ?? 0 }) });
    all.push(...page.steps);
    ({ more } = page);
  }
  return all;
}

/** Endless calls, eight at a time, and one slow one. */
async function load(core: OwnCore): Promise<void> {
  const open = (): Promise<SocketClient> => openSocket(core.socketPath, core.token, { app: 'cursor' });
  const [quick, slow] = [await open(), await open()];
  await Promise.all([quick.initialize(), slow.initialize()]);
  slow.write({
    jsonrpc: '2.0',
    id: 'long',
    method: 'tools/call',
    params: { name: 'asker_slow_progress', arguments: { steps: 600, delayMs: 100 } },
  });
  for (let lane = 0; lane < 8; lane++) {
    void (async () => {
      for (let n = 0; ; n++) await quick.callTool('echo_echo', { message: `${lane}.${n}` });
    })().catch(() => undefined);
  }
}

function openIn(told: readonly Told[]): readonly number[] {
  return told.flatMap(({ change }) => change.timeline?.open.map(({ id }) => id) ?? []);
}

const rounds = allCases ? 3 : 1;

/** Fields that no longer change. Tokens are counted later. */
function fixed({ id, kind, name, what, outcome, error, callCount, calls }: StepSummary): unknown {
  return [id, kind, name, what, outcome, error, callCount, calls.map((call) => [call.id, call.tool, call.outcome])];
}

test('stores no step in part, and loses none that was reported', { timeout: 120_000 }, async () => {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-killed-steps-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const told = new Map<number, unknown>();
  const toldOpen = new Set<number>();
  for (let round = 0; round < rounds; round++) {
    const core = await startProcess(home);
    const heard = listen(core);
    await load(core);
    await until(() => openIn(heard).length > 0);
    const gone = once(core.child, 'exit');
    const before = told.size;
    let killed: Promise<unknown> | undefined;
    for (let lives = true; lives;) {
      const page = await pageOf(core, { limit: 100 }).catch(() => undefined);
      lives = page !== undefined;
      for (const step of page?.steps ?? []) told.set(step.id, fixed(step));
      // At any moment from then on, during writes and notifications.
      if (told.size > before + 100) killed ??= sleep(Math.random() * 700).then(() => core.child.kill('SIGKILL'));
    }
    await Promise.all([killed, gone]);
    for (const id of openIn(heard)) toldOpen.add(id);
  }
  const last = await startProcess(home);
  const after = await allSteps(last);
  const byId = new Map(after.map((step) => [step.id, step]));
  expect(told.size).toBeGreaterThan(100);
  expect([...told.keys()].map((id) => byId.get(id)).map((step) => step && fixed(step))).toEqual([...told.values()]);
  const ended = [...toldOpen].map((id) => byId.get(id));
  const stopped = 'Tooltray stopped during this call. The call may have taken effect.';
  // On a slow computer quick steps are reported as running, too, and may have ended before the kill.
  expect(ended.filter((step) => step?.outcome !== 'ok' && step?.error !== stopped)).toEqual([]);
  const long = ended.filter((step) => step?.name === 'asker_slow_progress');
  expect(long.map((step) => step?.error)).toEqual(Array.from({ length: rounds }, () => stopped));
  for (const { callCount, calls } of after) expect(calls.length).toBe(callCount);
  const { dataDir } = resolveAppPaths({ TOOLTRAY_HOME: home }, process.platform, home);
  const database = new DatabaseSync(join(dataDir, 'activity.db'));
  onTestFinished(() => database.close());
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect((await pageOf(last, {})).sums).toEqual(sumsOfRows(database, {}));
});
