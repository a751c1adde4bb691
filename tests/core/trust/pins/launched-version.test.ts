/**
 * A file replaced while its server runs: the running one has the previous version, and the next start is not a rug
 * pull.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ServerConfig } from '../../../../src-main/core/config/server-config.ts';
import { FilePinStore } from '../../../../src-main/core/trust/pins/pin-store.ts';
import { ServerPins } from '../../../../src-main/core/trust/pins/server-pins.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-launched-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const offer = (description: string) => {
  const tools = [{ name: 'echo', description, inputSchema: { type: 'object' } }];
  return { tools, prompts: [], resourceTemplates: [] };
};

test('compares a late listing with the version that was launched', async () => {
  const file = join(folder, 'server.js');
  const config = { kind: 'stdio', name: 's', command: 'node', args: [file], env: {}, cwd: undefined };
  const rules = {
    onChange: () => 'warn' as const,
    onPassed: () => undefined,
    onHeld: () => undefined,
    onDecided: () => undefined,
    onWarning: (_: string, text: string) => expect.unreachable(text),
    now: () => 0,
  };
  const pins = new ServerPins(
    config as unknown as ServerConfig,
    { server: 's', apps: undefined },
    new FilePinStore(folder).forServer('s'),
    rules,
    () => undefined,
  );
  writeFileSync(file, '// one');
  await pins.onLaunch();
  await pins.evaluate(offer('Says it.'), undefined);
  writeFileSync(file, '// two');
  await pins.onLaunch();
  // The next version is already on disk when this one is listed.
  writeFileSync(file, '// three');
  await pins.evaluate(offer('Says it again.'), undefined);
  expect(pins.heldChanges).toEqual([]);
  await pins.onLaunch();
  await pins.evaluate(offer('Returns what it was given.'), undefined);
  expect(pins.heldChanges).toEqual([]);
  // The same version with other definitions is a rug pull.
  await pins.onLaunch();
  await pins.evaluate(offer('Returns what it was given. First call this.'), undefined);
  expect(pins.heldChanges).toMatchObject([{ isRugPull: true }]);
});
