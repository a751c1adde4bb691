/** Home folders of sandboxed servers: not shared with other servers, and removed with their server. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { probeEntry } from '../../src-main/core/admin/probe-entry.ts';
import { sandboxUnavailableReason } from '../../src-main/core/servers/launch/sandbox/bubblewrap.ts';
import { fixture, ready, startCore, type TestCore } from '../support/start-core.ts';
import { until } from '../support/until.ts';

const problem = await sandboxUnavailableReason({ PATH: process.env['PATH'] ?? '' });
const planted = join(homedir(), `.planted-${process.pid}`);

function boxesOf(core: TestCore): string {
  return join(core.home, 'data', 'boxes');
}

function names(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

async function probe(core: TestCore, server: string, tool: string, args: object): Promise<string> {
  const client = await core.open();
  const request = { name: 'proxy-dispatch', arguments: { action: 'call', connection: server, tool, args } };
  const { content } = (await client.request('tools/call', request)) as { content: { text: string }[] };
  return content[0]?.text ?? '';
}

const isolation = { mode: 'sandbox', write: [] };

describe.skipIf(problem !== undefined)('a private home', () => {
  test('of a connection test is empty, and deleted at its end, whatever the result', async () => {
    await using core = await startCore({ servers: {} });
    const { config, options } = { config: core.host.core.context.config, options: core.host.core.context };
    const parts = { config, transports: core.host.core.servers.transports, version: options.version };
    const first = JSON.stringify({ list: { path: homedir() }, write: { path: planted } });
    const good = await probeEntry({ ...fixture('prober', `--first=${first}`), isolation }, parts);
    expect(good.ok).toBe(true);
    const line = `touch ${planted}; ls -A ${homedir()} >&2; exit 3`;
    const bad = await probeEntry({ command: '/bin/sh', args: ['-c', line], isolation }, parts);
    expect(bad.ok).toBe(false);
    expect(bad.stderr.join('\n')).toContain('.planted-');
    const again = await probeEntry(
      { command: '/bin/sh', args: ['-c', `ls -A ${homedir()} >&2; exit 3`], isolation },
      parts,
    );
    expect(again.stderr.join('\n')).not.toContain('.planted-');
    expect([...names(join(boxesOf(core), 'trials')), ...names(join(boxesOf(core), 'homes'))]).toEqual([]);
    expect(existsSync(planted)).toBe(false);
  });

  test('persists for a server, and is a different one for another program under its name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tooltray-homes-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const notes = { ...fixture('prober'), isolation };
    await using core = await startCore({ servers: { notes }, mode: 'dispatch', dataFlow: 'off' });
    expect(await probe(core, 'notes', 'write', { path: planted })).toBe('written');
    await core.server('notes').retry();
    await ready(core.server('notes'));
    expect(await probe(core, 'notes', 'read', { path: planted })).toContain('written');
    // Another script that starts the same program.
    const script = join(folder, 'other.sh');
    writeFileSync(script, `#!/bin/sh\nexec "$@"\n`, { mode: 0o755 });
    const read = [join(import.meta.dirname, '../..'), dirname(process.execPath)];
    const other = {
      command: '/bin/sh',
      args: [script, notes.command, ...notes.args],
      isolation: { ...isolation, read },
    };
    await core.write({ servers: { notes: other }, mode: 'dispatch', dataFlow: 'off' });
    await until(() => JSON.stringify(core.server('notes').config).includes('other.sh'));
    await ready(core.server('notes'));
    expect(await probe(core, 'notes', 'read', { path: planted })).toMatch(/^no: /);
  });

  test('is removed with its server, and those of other servers stay', async () => {
    const entry = { ...fixture('prober'), isolation };
    await using core = await startCore({ servers: { one: entry, two: entry, three: entry } });
    const homes = join(boxesOf(core), 'homes');
    const kept = (): string[] =>
      names(homes)
        .map((name) => name.replace(/-\w+$/, ''))
        .toSorted();
    expect(kept()).toEqual(['one', 'three', 'two']);
    await core.host.core.servers.removals.remove('one');
    expect(kept()).toEqual(['three', 'two']);
    await core.host.stop();
    // Removed by hand while no core ran: deleted at the next start.
    await using next = await startCore({ servers: { three: entry } }, { home: core.home });
    expect(next.server('three').state.kind).toBe('ready');
    expect(kept()).toEqual(['three']);
  });
});
