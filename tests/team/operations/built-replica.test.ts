/** The operations endpoints of a built replica, in a separate process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../scripts/team/engines/free-port.ts';
import { readExposition } from '../../support/exposition.ts';
import { startReplicaProcess } from '../../support/replica-process.ts';
import { teamDatabase } from '../../support/team-database.ts';

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
  const families = readExposition(await response.text());
  expect(families.get('tooltray_ready')?.samples).toMatchObject([{ value: 1 }]);
});
