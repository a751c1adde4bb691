/** `tooltray audit`: lists and verifies the audit, with and without a core. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliHome, entries } from '../../cli-home.ts';

test('lists the audit, verifies it, and reports where it breaks, with and without a core', async () => {
  await using home = new CliHome({ echo: entries.echo });
  expect((await home.run('audit')).stdout).toMatch(/^No matching records/);
  expect(await home.run('audit', 'verify')).toMatchObject({ code: 0, stdout: 'No records yet.\n' });
  await home.serve();
  await home.run('call', 'echo', '{"message":"the lighthouse"}');
  const beside = await home.run('audit', '--kind', 'call');
  expect(beside.stdout).toMatch(
    /^SEQ +TIME +KIND +APP +EVENT\n\d+ +\d{4}-\S+ \S+ +call +command line +echo:echo, \d+ bytes in \d+ ms\n$/,
  );
  expect((await home.run('audit', 'verify')).stdout).toMatch(/^Audit log verified: \d+ records, 1 to \d+\.\n/);
  await home.run('pause');
  const { data } = await home.json('audit', '--kind', 'server');
  expect(data['entries']).toMatchObject([{ kind: 'server', change: 'added', server: 'echo' }]);

  const folder = join(home.path, 'data', 'audit');
  const file = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.jsonl'))!,
  );
  const exported = await home.run('audit', 'export', '--jsonl', '--kind', 'call');
  expect(readFileSync(file, 'utf8')).toContain(exported.stdout);
  // Complete, with the signed heads that are needed to verify the chain elsewhere.
  const whole = (await home.run('audit', 'export')).stdout;
  expect(whole).toBe(readFileSync(file, 'utf8').slice(0, whole.length));
  expect(JSON.parse(whole.split('\n')[0] ?? '')).toMatchObject({ seq: 1, kind: 'head' });
  const { hmac } = (JSON.parse(exported.stdout) as { arguments: { hmac: string } }).arguments;
  const digest = await home.runWith({ input: '{"message":"the lighthouse"}' }, 'audit', 'digest');
  expect(digest.stdout).toBe(`${hmac}  28 bytes\n`);

  writeFileSync(file, readFileSync(file, 'utf8').replace('"tool":"echo"', '"tool":"read"'));
  const spoilt = await home.run('audit', 'verify');
  expect(spoilt.code).toBe(1);
  expect(spoilt.stdout).toMatch(/^Audit log verification failed \(.*\): 1 finding\.\n {2}Record \d+ was changed\.\n/);
  expect(spoilt.stdout).toContain('Limitations:');
});

test('records a revoked app without a running core', async () => {
  await using home = new CliHome({ echo: entries.echo });
  expect(await home.run('apps', 'revoke', 'cursor')).toMatchObject({ code: 0 });
  expect((await home.json('audit', '--kind', 'access')).data['entries']).toMatchObject([
    { kind: 'access', change: 'revoked', app: 'cursor' },
  ]);
});

test('rejects wrong use', async () => {
  await using home = new CliHome({});
  expect((await home.run('audit', '--kind', 'calls')).stderr).toContain('--kind must be one of: decision, refusal');
  expect((await home.run('audit', 'verify', '--head', '7')).stderr).toContain('--head must be SEQ:HASH');
  expect((await home.run('audit', 'export', '--otlp', 'nowhere')).stderr).toContain('is no address of a collector');
});
