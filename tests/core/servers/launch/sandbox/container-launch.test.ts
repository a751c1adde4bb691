/** Launches of containers, with a fake engine that only knows one image. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Isolation } from '../../../../../src-main/core/config/server-config.ts';
import { ServerSandboxes } from '../../../../../src-main/core/servers/launch/sandbox/server-sandboxes.ts';
import type { ProcessLaunch } from '../../../../../src-main/core/servers/launch/process-group.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-container-'));
const [bin, project, store, own] = ['bin', 'project', 'project/store', 'user/own'].map((name) => {
  mkdirSync(join(folder, name), { recursive: true });
  return join(folder, name);
}) as [string, string, string, string];
const linked = join(folder, 'linked');
symlinkSync(project, linked);
writeFileSync(join(bin, 'docker'), '#!/bin/sh\necho sha256:1\n');
chmodSync(join(bin, 'docker'), 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const outside = { PATH: `${bin}:/usr/bin:/bin`, HOME: join(folder, 'user') };
const boxes = new ServerSandboxes({
  folder: join(folder, 'boxes'),
  config: join(folder, 'config.json'),
  sockets: join(folder, 'run'),
  hidden: { folders: [own], files: [join(folder, 'config.json')] },
  onRefused: () => undefined,
});

let count = 0;

function confine(access: Partial<Isolation>, env: Record<string, string> = {}, inherited = {}): Promise<ProcessLaunch> {
  const isolate: Isolation = {
    kind: 'container',
    image: 'some/image',
    read: [],
    write: [],
    network: false,
    extraArgs: [],
    ...access,
  };
  const launch = { command: 'node', args: ['/app/x.js'], env: { ...outside, ...inherited, ...env }, cwd: undefined };
  const serverName = `s${count++}`;
  const entry = { ...launch, name: serverName, env, isolate };
  return boxes.wrapLaunch({ ...launch, serverName, own: env, inherited: Object.keys(inherited), entry, outside });
}

function after(args: readonly string[], option: string): string[] {
  return args.flatMap((arg, at) => (args[at - 1] === option ? [arg] : []));
}

test('mounts the real path under the name in the entry, and no folder inside a writable one', async () => {
  const { args } = await confine({ write: [linked, store] });
  expect(after(args, '-v')).toEqual([`${project}:${linked}`]);
});

test('hides Tooltray’s own folders inside a readable folder', async () => {
  const { args } = await confine({ read: [join(folder, 'user')] });
  expect(after(args, '-v')).toEqual([`${join(folder, 'user')}:${join(folder, 'user')}:ro`]);
  expect(after(args, '--tmpfs')).toEqual([own]);
});

test.each<[string, Partial<Isolation>]>([
  ['what is read inside of what is written', { write: [project], read: [store] }],
  ['a folder to be written that holds Tooltray’s own', { write: [join(folder, 'user')] }],
  ['a folder that holds the config file', { read: [folder] }],
])('rejects %s', async (_what, access) => {
  await expect(confine(access)).rejects.toMatchObject({ code: 'config_invalid' });
});

test('rejects a start after a path was redirected by a link', async () => {
  const place = join(folder, 'moving');
  mkdirSync(place);
  const isolate: Isolation = {
    kind: 'container',
    image: 'some/image',
    read: [],
    write: [place],
    network: false,
    extraArgs: [],
  };
  const launch = { command: 'node', args: [], env: outside, cwd: undefined };
  const entry = { ...launch, name: 'moving', env: {}, isolate };
  const wanted = { ...launch, serverName: 'moving', own: {}, inherited: [], entry, outside };
  await boxes.wrapLaunch(wanted);
  rmSync(place, { recursive: true });
  symlinkSync(own, place);
  await expect(boxes.wrapLaunch(wanted)).rejects.toMatchObject({ code: 'server_not_started' });
});

test.each<[string, (place: string) => readonly string[]]>([
  ['-v', (place) => ['run', '-i', '--rm', '-v', `${place}:/data`, 'image']],
  ['-v joined', (place) => ['run', '-i', `-v${place}:/data:ro`, 'image']],
  ['--mount', (place) => ['run', '-i', '--mount', `type=bind,source=${place},target=/data`, 'image']],
])('rejects a redirected mount of a command that starts its own container: %s', async (_what, argsOf) => {
  const place = join(folder, `own-${count++}`);
  mkdirSync(place);
  const entry = { name: `d${count++}`, command: 'docker', args: argsOf(place), env: {}, cwd: undefined };
  await boxes.checkMounts(entry);
  await boxes.checkMounts(entry);
  rmSync(place, { recursive: true });
  symlinkSync(own, place);
  await expect(boxes.checkMounts(entry)).rejects.toMatchObject({ code: 'server_not_started' });
});

test('passes variables by name, and none to the engine that would change its behavior', async () => {
  const { args, env } = await confine(
    {},
    { API_KEY: 'secret-1', LD_PRELOAD: '/p/x.so', DOCKER_HOST: 'tcp://evil', PATH: '/p' },
    { LOGIN_KEY: 'secret-2' },
  );
  expect(after(args, '-e')).toEqual([
    'API_KEY',
    'LD_PRELOAD=/p/x.so',
    'DOCKER_HOST=tcp://evil',
    'PATH=/p',
    'LOGIN_KEY',
  ]);
  expect(env).toEqual({ ...outside, API_KEY: 'secret-1', LOGIN_KEY: 'secret-2' });
});
