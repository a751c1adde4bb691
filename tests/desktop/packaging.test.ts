/** Packages: entitlements, the packager's hook, and the workflows that build them. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { missingKeychain } from '../../scripts/package/after-pack.mjs';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const builder = parse(read('electron-builder.yml')) as {
  readonly mac: Readonly<Record<string, unknown>> & { readonly extendInfo: Readonly<Record<string, unknown>> };
};

/** Keys of a property list that are true. Throws if it contains anything else, or a key twice. */
function entitlements(file: string): string[] {
  const dict = /<dict>([\s\S]*)<\/dict>/.exec(read(file).replaceAll(/<!--[\s\S]*?-->/g, ''))?.[1] ?? '';
  const keys = [...dict.matchAll(/<key>([\w.-]+)<\/key>\s*<true\/>/g)].map(([, key]) => key ?? '');
  const rest = dict.replaceAll(/<key>[\w.-]+<\/key>\s*<true\/>/g, '').trim();
  if (rest !== '' || new Set(keys).size !== keys.length) throw new Error(`${file} holds more: ${rest}`);
  return keys;
}

test('the main app has the entitlements that servers need, each with a text; helpers have only JIT', () => {
  const { entitlements: own, entitlementsInherit: inherited, extendInfo } = builder.mac;
  expect(entitlements(String(inherited))).toEqual(['com.apple.security.cs.allow-jit']);
  expect(entitlements(String(own))).toEqual([
    'com.apple.security.cs.allow-jit',
    'com.apple.security.automation.apple-events',
    'com.apple.security.device.camera',
    'com.apple.security.device.audio-input',
    'com.apple.security.personal-information.calendars',
    'com.apple.security.personal-information.addressbook',
  ]);
  const asked = Object.keys(extendInfo).filter((key) => key.endsWith('UsageDescription'));
  expect(asked.toSorted()).toEqual([
    'NSAppleEventsUsageDescription',
    'NSCalendarsFullAccessUsageDescription',
    'NSCalendarsUsageDescription',
    'NSCameraUsageDescription',
    'NSContactsUsageDescription',
    'NSMicrophoneUsageDescription',
  ]);
});

describe('the keychain binding of a package', () => {
  test.each([
    ['linux', 'x64', ['keyring.linux-x64-gnu.node'], []],
    ['linux', 'arm64', ['keyring.linux-x64-gnu.node'], ['keyring.linux-arm64-gnu.node']],
    ['win32', 'arm64', [], ['keyring.win32-arm64-msvc.node']],
    ['darwin', 'universal', ['keyring.darwin-arm64.node'], ['keyring.darwin-x64.node']],
  ])('of %s %s with %j lacks %j', (platform, arch, there, lacking) => {
    const resources = mkdtempSync(join(tmpdir(), 'tooltray-resources-'));
    onTestFinished(() => rmSync(resources, { recursive: true }));
    const folder = join(resources, 'app.asar.unpacked/dist/keychain');
    mkdirSync(folder, { recursive: true });
    for (const name of there) writeFileSync(join(folder, name), '');
    expect(missingKeychain(resources, { platform, arch })).toEqual(lacking);
  });
});

describe.skipIf(process.platform !== 'linux')('the Debian package, before it is removed', () => {
  function remove(action: string): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'tooltray-prerm-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const log = join(folder, 'log');
    const users = ['ann', 'bob', 'eve'].map(
      (name, index) => `${name}:x:${1000 + index}:100::${folder}/${name}:/bin/sh`,
    );
    for (const used of ['ann/.local/share/tooltray', 'eve/.config/tooltray'])
      mkdirSync(join(folder, used), { recursive: true });
    const program = (name: string, body: string): void =>
      writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    program('getent', `printf '%s\\n' '${users.join("' '")}'`);
    // It fails for one of the users.
    program('runuser', `echo "$2: $*" >>'${log}'; [ "$2" != ann ]`);
    writeFileSync(log, '');
    execFileSync('sh', [join(root, 'resources/linux/before-remove.sh'), action], {
      env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` },
      stdio: 'pipe',
    });
    return readFileSync(log, 'utf8').split('\n').slice(0, -1);
  }

  test('disconnects the client apps of each user, as that user', () => {
    const runs = remove('remove');
    expect(runs.map((line) => line.split(':')[0])).toEqual(['ann', 'eve']);
    for (const line of runs) expect(line).toMatch(/ tooltray uninstall --all --quiet$/);
  });

  test('leaves them alone while it is updated', () => {
    expect(remove('upgrade')).toEqual([]);
  });
});

describe('the workflows', () => {
  interface Step {
    readonly run?: string;
    readonly 'continue-on-error'?: boolean;
  }
  const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map((file) => ({
    file,
    jobs: Object.values((parse(read(file)) as { jobs: Record<string, { steps: readonly Step[] }> }).jobs),
  }));
  const steps = workflows.flatMap(({ file, jobs }) => jobs.flatMap((job) => job.steps.map((step) => ({ file, step }))));

  test('ignore no failure', () => {
    const hiding = steps.filter(
      ({ step }) => step['continue-on-error'] === true || /\|\|\s*true\b/.test(step.run ?? ''),
    );
    expect(hiding).toEqual([]);
  });

  test('run only scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
    const text = steps.map(({ step }) => step.run ?? '').join('\n');
    const files = [...text.matchAll(/scripts\/[\w./-]+\.(?:mjs|ps1|ts)/g)].map(([file]) => file);
    expect(files.length).toBeGreaterThan(2);
    expect(files.filter((file) => globSync(file, { cwd: root }).length === 0)).toEqual([]);
    const named = [...text.matchAll(/npm (?:run )?(check|test|build|[a-z]+:[a-z]+)\b/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});
