/** An image for containers in tests, with this computer's Node.js and its libraries only. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

/** The available engine; undefined: no containers are available. */
export const engine = ['docker', 'podman'].find((one) => spawnSync(one, ['version'], { timeout: 20_000 }).status === 0);
const runtime = engine === 'podman' && spawnSync('runc', ['--version']).status === 0 ? ['--runtime', 'runc'] : [];

/** Some computers forbid raising limits, which Podman does by default. */
export const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=4096:4096'];

/** Containers with this label, one line each. */
export function containersWith(label: string, format = '{{.Names}}'): readonly string[] {
  const asked = [...runtime, 'ps', '-a', '--filter', `label=${label}`, '--format', format];
  return execFileSync(engine ?? '', asked, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}

/** Removes containers with this label. */
export function removeContainersWith(label: string): void {
  const left = containersWith(label);
  for (const how of [['kill'], ['rm', '-f']])
    if (left.length > 0) spawnSync(engine ?? '', [...runtime, ...how, ...left], { timeout: 60_000 });
}

/** A running container with these labels; returns its name. */
export function runLeft(labels: readonly string[], image: string): string {
  const name = `tooltray-left-${process.pid}`;
  const named = ['--name', name, ...labels.flatMap((label) => ['--label', label])];
  const program = ['node', '-e', 'setInterval(() => undefined, 1000)'];
  const words = [...runtime, 'run', '-d', '--network', 'none', ...named, ...limits, image, ...program];
  execFileSync(engine ?? '', words, { stdio: 'ignore' });
  return name;
}

/** Builds the image under this name; returns a function that removes it. */
export function makeNodeImage(name: string): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tooltray-image-'));
  const root = join(folder, 'image');
  for (const each of ['tmp', 'proc', 'dev', 'sys', 'etc', 'usr/bin', 'root'])
    mkdirSync(join(root, each), { recursive: true });
  copyFileSync(process.execPath, join(root, 'usr/bin/node'));
  const linked = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).match(/\/\S+(?= \()/g) ?? [];
  for (const library of linked) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  const tar = join(folder, 'image.tar');
  execFileSync('tar', ['-C', root, '-cf', tar, '.']);
  execFileSync(engine ?? '', [...runtime, 'import', tar, name], { stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
  return () => void spawnSync(engine ?? '', [...runtime, 'rmi', '-f', name], { timeout: 60_000 });
}
