/** What a killed core leaves for the next start: servers that ignore a closed stdin, and drafts of files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveAppPaths } from '../../src-main/core/base/app-paths.ts';
import { ChildProcessList } from '../../src-main/core/servers/launch/child-process-list.ts';
import { isAlive } from '../support/processes.ts';
import { startCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

let home: string;
const started: number[] = [];
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'tooltray-left-'))));
afterEach(() => {
  for (const pid of started.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

/** A program in its own process group that only SIGKILL ends. */
async function startDeaf(env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const program = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')";
  const child = spawn(process.execPath, ['-e', program], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  started.push(child.pid as number);
  return child.pid as number;
}

/** An unused PID on every system. */
const nobody = 2 ** 22 + 1;

test.skipIf(process.platform === 'win32')(
  'ends its servers and removes its drafts, but leaves a process alone that has a reused PID',
  async () => {
    const { runDir, dataDir } = resolveAppPaths({ TOOLTRAY_HOME: home }, process.platform, homedir());
    for (const folder of [runDir, dataDir]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const [left, ended, innocent] = [await startDeaf(), await startDeaf(), await startDeaf()];
    const list = new ChildProcessList(runDir);
    for (const pid of [left, ended, innocent]) list.add(pid);
    // Processes that a server left behind, and those of another core's server.
    const [daemon, foreign] = [
      await startDeaf({ TOOLTRAY_PROCESS: `${list.mark}.1` }),
      await startDeaf({ TOOLTRAY_PROCESS: `${list.mark}0.1` }),
    ];
    list.delete(ended);
    const [file = ''] = readdirSync(runDir).filter((name) => name.endsWith('.list'));
    const text = readFileSync(join(runDir, file), 'utf8');
    const ofDeadCore = text.replace(/^core .*$/m, `core ${nobody} then`).replace(`+${innocent} `, `+${innocent} 1`);
    writeFileSync(join(runDir, `children-${nobody}.list`), ofDeadCore);
    list.close();
    writeFileSync(join(dataDir, `activity.${nobody}.0123abcd.tmp`), '');
    writeFileSync(join(dataDir, `activity.${process.pid}.0123abcd.tmp`), '');

    await using core = await startCore({ servers: {} }, { home });
    await until(() => !isAlive(left));
    await until(() => !isAlive(daemon));
    expect([isAlive(ended), isAlive(innocent), isAlive(foreign)]).toEqual([true, true, true]);
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.tmp'))).toEqual([
      `activity.${process.pid}.0123abcd.tmp`,
    ]);
    expect(readdirSync(core.host.paths.runDir).filter((name) => name.endsWith('.list'))).toEqual([]);
  },
);

test.skipIf(process.platform === 'win32')('keeps the process list of a core that is running', async () => {
  const { runDir } = resolveAppPaths({ TOOLTRAY_HOME: home }, process.platform, homedir());
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  const list = new ChildProcessList(runDir);
  const pid = await startDeaf();
  list.add(pid);
  await using _core = await startCore({ servers: {} }, { home });
  expect([isAlive(pid), readdirSync(runDir).filter((name) => name.endsWith('.list')).length]).toEqual([true, 1]);
});
