/** Commands of a team's replica: limited, without the replica's own network, and without container options that lead out. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { Isolation } from '../../../../../src-main/core/config/server-config.ts';
import { findCommand } from '../../../../../src-main/core/servers/launch/find-command.ts';
import { type ProcessLaunch, startLaunch } from '../../../../../src-main/core/servers/launch/process-group.ts';
import { sandboxUnavailableReason } from '../../../../../src-main/core/servers/launch/sandbox/bubblewrap.ts';
import { ServerSandboxes } from '../../../../../src-main/core/servers/launch/sandbox/server-sandboxes.ts';

const folder = mkdtempSync(join(tmpdir(), 'tooltray-limits-'));
const [bin, data] = ['bin', 'data', 'home'].map((name) => {
  mkdirSync(join(folder, name));
  return join(folder, name);
}) as [string, string];
writeFileSync(join(bin, 'docker'), '#!/bin/sh\necho sha256:1\n');
chmodSync(join(bin, 'docker'), 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const limits = { memoryMB: 700, processes: 90, openFiles: 300, cpus: 1.5 };
const outside = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: join(folder, 'home') };
const sandboxes = new ServerSandboxes({
  folder: join(folder, 'sandboxes'),
  config: join(folder, 'config.json'),
  sockets: join(folder, 'run'),
  hidden: { folders: [data], files: [join(folder, 'config.json')] },
  onRefused: () => undefined,
  policy: { allowsUnconfined: false, limits: () => limits },
});
const hasSandbox = (await sandboxUnavailableReason(outside)) === undefined;
const hasSocat = (await findCommand('socat', outside)) !== undefined;

let count = 0;
function launch(command: string, args: readonly string[], isolation?: Partial<Isolation>): Promise<ProcessLaunch> {
  const isolate: Isolation = { kind: 'sandbox', read: [], write: [], network: false, extraArgs: [], ...isolation };
  const base = { command, args, env: { ...outside }, cwd: undefined };
  const serverName = `s${count++}`;
  const entry = { name: serverName, command, args, env: {}, cwd: undefined };
  if (isolation === undefined) return sandboxes.launchUnconfined(base, entry, outside);
  return sandboxes.wrapLaunch({ ...base, serverName, own: {}, inherited: [], entry: { ...entry, isolate }, outside });
}

async function output(started: ProcessLaunch): Promise<string> {
  const child = await startLaunch(started);
  onTestFinished(() => started.leftBehind?.remove());
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out === '' ? errors : out;
}

const image = { kind: 'container', image: 'some/image' } as const;

test('limits containers, in which options of the entry win', async () => {
  const { args } = await launch('node', ['x.js'], {
    ...image,
    extraArgs: ['--memory', '5g', '--ulimit', 'nofile=9:9'],
  });
  const line = args.join(' ');
  expect(line).toContain('--memory 700m --pids-limit 90 --cpus 1.5');
  expect(line).not.toContain('nofile=300');
  expect(args.lastIndexOf('5g')).toBeGreaterThan(args.indexOf('700m'));
  const own = await launch('docker', ['run', '-i', 'some/image']);
  expect(own.args.join(' ')).toBe('run --memory 700m --pids-limit 90 --cpus 1.5 --ulimit nofile=300:300 -i some/image');
});

test.each([
  ['--privileged'],
  ['--privileged=true'],
  ['--pid', 'host'],
  ['--pid=host'],
  ['--network', 'host'],
  ['--net=host'],
  ['--network=container:other'],
  ['--ipc=host'],
  ['--uts', 'host'],
  ['--userns=host'],
  ['--cgroupns=host'],
  ['--cap-add', 'SYS_ADMIN'],
  ['--device', '/dev/kmsg'],
  ['--security-opt', 'seccomp=unconfined'],
  ['--volumes-from', 'other'],
  ['--env-file', '/etc/passwd'],
  ['-v', '/:/host'],
  ['-v/var/run/docker.sock:/d.sock'],
  ['--volume=/run:/run'],
  ['--mount', 'type=bind,source=/proc,target=/p'],
  ['-v', `${data}:/data`],
  ['-v', `${folder}:/all:ro`],
  ['-v', `${data}/../data/file:/data`],
])('rejects a container with %s %s', async (...words) => {
  const rejected = { code: 'config_invalid' };
  await expect(launch('docker', ['run', '-i', ...words, 'some/image'])).rejects.toMatchObject(rejected);
  await expect(launch('node', ['x.js'], { ...image, extraArgs: words })).rejects.toMatchObject(rejected);
});

test('accepts containers with named volumes, other folders, and networks of their own', async () => {
  const words = ['-v', 'cache:/cache', '-v', '/srv/files:/files:ro', '--network', 'tools', '--cap-drop', 'ALL'];
  expect((await launch('docker', ['run', '-i', ...words, 'some/image'])).args).toContain('cache:/cache');
});

test('rejects the network of the replica for a container', async () => {
  const isolation = { ...image, network: true, networkMode: 'host' };
  await expect(launch('node', ['x.js'], isolation)).rejects.toMatchObject({ code: 'config_invalid' });
});

test.skipIf(!hasSandbox).each<[string, Partial<Isolation> | undefined]>([
  ['in a sandbox', {}],
  ['that opted out of the sandbox', undefined],
])('limits a command %s', async (_what, isolation) => {
  const said = await output(await launch('/bin/cat', ['/proc/self/limits'], isolation));
  const bytes = String(700 * 1024 * 1024);
  expect(said).toMatch(new RegExp(`^Max data size +${bytes} +${bytes} `, 'm'));
  expect(said).toMatch(/^Max processes +90 +90 /m);
  expect(said).toMatch(/^Max open files +300 +300 /m);
  expect(said).toMatch(/^Max core file size +0 +0 /m);
});

test.skipIf(!hasSandbox)('ends a command that allocates more memory than allowed', async () => {
  const script = `const all = []; for (let i = 0; i < 100; i++) all.push(Buffer.alloc(64 << 20, 1)); console.log('all');`;
  const started = await launch(process.execPath, ['-e', script], {});
  expect(await output(started)).not.toContain('all\n');
});

test.skipIf(!hasSandbox || !hasSocat)('reaches no address of the replica with the whole network', async () => {
  const site = createServer((_request, response) => response.end('the replica')).listen(0, '127.0.0.1');
  onTestFinished(() => void site.close());
  await new Promise((resolve) => site.once('listening', resolve));
  const { port } = site.address() as AddressInfo;
  const script = `
    const net = require('node:net');
    const direct = new Promise((r) => net.connect(${port}, '127.0.0.1', () => r('open')).on('error', () => r('closed')));
    const http = require('node:http');
    const by = new Promise((r) => http.get({ host: '127.0.0.1', port: 3128, path: 'http://127.0.0.1:${port}/' },
      (response) => r(response.statusCode)).on('error', () => r('closed')));
    Promise.all([direct, by]).then((all) => console.log(JSON.stringify(all)));`;
  expect(await output(await launch(process.execPath, ['-e', script], { network: true }))).toBe('["closed",403]\n');
});
