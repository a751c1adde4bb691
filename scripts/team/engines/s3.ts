/**
 * An S3 store for tests and for trying a team on one computer: s3rver from npm, which is not durable, or the system's
 * Swift.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { ended } from './ended.ts';
import { freePort } from './free-port.ts';
import { startSwift, swiftKeys } from './swift.ts';
import { takesSystem } from './system.ts';

export interface ObjectStore {
  readonly port: number;
  /** URL for `--s3`; the bucket exists. */
  readonly address: string;
  /** Environment with the access key. */
  readonly env: { readonly TOOLTRAY_OBJECTS_KEY_ID: string; readonly TOOLTRAY_OBJECTS_KEY: string };
  /** Starts it again in the same folder on the same port after `stop`. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ObjectStoreOptions {
  /** Created if missing; existing data is kept. */
  readonly folder: string;
  /** Default: a free port. */
  readonly port?: number;
}

const bucket = 'answers';
/** The only key known to s3rver. */
const key = 'S3RVER';

/** Access key of the store started by `startObjects`. */
export function objectsKeys(): ObjectStore['env'] {
  return takesSystem('swift') ? swiftKeys : { TOOLTRAY_OBJECTS_KEY_ID: key, TOOLTRAY_OBJECTS_KEY: key };
}

export function startObjects(options: ObjectStoreOptions): Promise<ObjectStore> {
  return takesSystem('swift') ? startSwift(options) : startS3rver(options);
}

async function startS3rver({ folder, port: wanted }: ObjectStoreOptions): Promise<ObjectStore> {
  const port = wanted ?? (await freePort());
  const program = join(dirname(createRequire(import.meta.url).resolve('s3rver')), '../bin/s3rver.js');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let child: ChildProcess | undefined;
  const store: ObjectStore = {
    port,
    address: `s3://${bucket}?endpoint=http://127.0.0.1:${port}`,
    env: objectsKeys(),
    async start() {
      const settings = ['-d', folder, '-a', '127.0.0.1', '-p', String(port), '--no-vhost-buckets'];
      const started = spawn(process.execPath, [program, ...settings, '--configure-bucket', bucket], {
        cwd: folder,
        env: { PATH: process.env['PATH'] },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      await isReady(started);
    },
    async stop() {
      const running = child;
      child = undefined;
      await ended(running, 'SIGKILL');
    },
  };
  await store.start();
  return store;
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (text: string): void => {
      said = `${said}${text}`.slice(-4000);
      if (said.includes('listening on')) resolve();
    };
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', hear);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`s3rver ended with ${code}: ${said}`)));
  });
}
