/** The operations endpoints of a built replica, in a separate process; checked with promtool if it is installed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import { programPath } from '../../../scripts/team/engines/system.ts';
import { readExposition } from '../../support/exposition.ts';
import { startReplicaProcess } from '../../support/replica-process.ts';
import { teamDatabase } from '../../support/team-database.ts';

const promtool = programPath('promtool');

test('serves metrics in the format of Prometheus', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-built-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ servers: {} }));
  const port = await freePort();
  const args = ['--metrics-listen', `127.0.0.1:${port}`];
  await startReplicaProcess({ name: 'a', database: await teamDatabase(), config, home: join(folder, 'home'), args });
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  const families = readExposition(text);
  expect(families.get('tooltray_ready')?.samples).toMatchObject([{ value: 1 }]);
  if (promtool === undefined) return;
  const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([0, '', '']);
});
