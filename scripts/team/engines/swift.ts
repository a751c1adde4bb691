/**
 * The system's OpenStack Swift as an S3 store: one account, one copy, in a folder; nothing in /etc/swift is read or
 * changed.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { S3mini } from 's3mini';
import { freePort } from './free-port.ts';
import { programPath, swiftPython } from './system.ts';
import { ended } from './ended.ts';
import type { ObjectStore, ObjectStoreOptions } from './s3.ts';

const bucket = 'answers';
const account = 'team';
const key = 'tooltray';
/** In S3's format: account and user. */
export const swiftKeys = { TOOLTRAY_OBJECTS_KEY_ID: `${account}:tooltray`, TOOLTRAY_OBJECTS_KEY: key };
const kinds = ['account', 'container', 'object'] as const;
/** Four Python processes on a busy computer. */
const startTries = 600;

/** Sets its own config path before any module reads the system's. */
const start = `
import sys
from swift.common import utils
utils.set_swift_dir(sys.argv[1])
from swift.common.wsgi import run_wsgi
sys.exit(run_wsgi(sys.argv[1] + '/' + sys.argv[2] + '.conf', sys.argv[2] + '-server'))
`;

export async function startSwift({ folder, port: wanted }: ObjectStoreOptions): Promise<ObjectStore> {
  const port = wanted ?? (await freePort());
  const memory = await freePort();
  mkdirSync(join(folder, 'devices/d'), { recursive: true });
  writeFileSync(join(folder, 'swift.conf'), settings);
  for (const kind of kinds) await makeRing(folder, kind);
  writeFileSync(join(folder, 'proxy.conf'), proxyConfig(folder, port, memory));
  let running: ChildProcess[] = [];
  const begin = (program: string, ...words: string[]): void => {
    running.push(spawn(program, words, { cwd: folder, stdio: 'ignore', env: { PATH: process.env['PATH'] } }));
  };
  const endpoint = `http://127.0.0.1:${port}/${bucket}`;
  const store: ObjectStore = {
    port,
    address: `s3://${bucket}?endpoint=http://127.0.0.1:${port}`,
    env: swiftKeys,
    async start() {
      const asRoot = process.getuid?.() === 0 ? ['-u', 'root'] : [];
      begin(programPath('memcached') ?? 'memcached', '-l', '127.0.0.1', '-p', String(memory), '-U', '0', ...asRoot);
      for (const part of [...kinds, 'proxy']) begin(swiftPython, '-c', start, folder, part);
      await hasBucket(endpoint, running);
    },
    async stop() {
      const all = running;
      running = [];
      await Promise.all(all.map((child) => ended(child, 'SIGKILL')));
    },
  };
  await store.start();
  return store;
}

/**
 * Ready when all of its services respond: account and container servers are checked by creating the bucket, the object
 * server by looking for an object.
 */
async function hasBucket(endpoint: string, parts: readonly ChildProcess[]): Promise<void> {
  const { TOOLTRAY_OBJECTS_KEY_ID: accessKeyId, TOOLTRAY_OBJECTS_KEY: secretAccessKey } = swiftKeys;
  const client = new S3mini({ endpoint, region: 'us-east-1', accessKeyId, secretAccessKey });
  for (let tries = 0; tries < startTries; tries++) {
    const gone = parts.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
    if (gone !== undefined) throw new Error(`A part of Swift ended with ${gone.exitCode ?? gone.signalCode}.`);
    await client.createBucket().catch(() => false);
    // It may exist already.
    const hasBucketNow = await client.bucketExists().catch(() => false);
    if (hasBucketNow && (await client.objectExists('whether-it-is-up').catch(() => 'away')) !== 'away') return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Swift did not answer in time.');
}

async function makeRing(folder: string, kind: (typeof kinds)[number]): Promise<void> {
  const port = await freePort();
  const builder = programPath('swift-ring-builder') ?? 'swift-ring-builder';
  for (const words of [['create', '2', '1', '0'], ['add', `r1z1-127.0.0.1:${port}/d`, '1'], ['rebalance']])
    execFileSync(swiftPython, [builder, `${kind}.builder`, ...words], { cwd: folder, stdio: 'pipe' });
  writeFileSync(
    join(folder, `${kind}.conf`),
    `${listensAt(folder, port)}
devices = ${join(folder, 'devices')}
mount_check = false
disable_fallocate = true
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`,
  );
}

function proxyConfig(folder: string, port: number, memory: number): string {
  const filters = ['catch_errors', 'gatekeeper', 'cache', 's3api', 'tempauth', 'bulk', 'slo', 'dlo'];
  const more: Readonly<Record<string, string>> = {
    cache: `memcache_servers = 127.0.0.1:${memory}`,
    s3api: 'location = us-east-1',
    tempauth: `user_${account}_tooltray = ${key} .admin`,
  };
  const egg = (name: string): string => (name === 'cache' ? 'memcache' : name);
  return `${listensAt(folder, port)}
[pipeline:main]
pipeline = ${filters.join(' ')} proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
# A part that did not answer ten times would not be asked for a minute: here each is asked until it is up, and has no other in its place.
error_suppression_limit = 1000000
${filters.map((name) => `[filter:${name}]\nuse = egg:swift#${egg(name)}\n${more[name] ?? ''}`).join('\n')}
`;
}

function listensAt(folder: string, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}`;
}

const settings = `[swift-hash]
swift_hash_path_prefix = tooltray
swift_hash_path_suffix = tests
[storage-policy:0]
name = one
default = yes
`;
