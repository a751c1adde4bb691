/** A spill store with real parts in a separate folder, and results to store in it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../../src-main/core/base/log.ts';
import type { JsonObject } from '../../../src-main/core/base/json.ts';
import type { ResultSettings } from '../../../src-main/core/config/app-config.ts';
import type { SpillOrigin } from '../../../src-main/core/spills/spill.ts';
import type { SpillStoreOptions } from '../../../src-main/core/spills/spill-store.ts';
import { DiskSpillStore } from '../../../src-main/core/spills/disk-spill-store.ts';
import { RawJson } from '../../../src-main/core/wire/raw-json.ts';
import { callerOf } from '../../support/caller-of.ts';

export const reader = callerOf('test-app');
export const origin: SpillOrigin = {
  owner: reader.owner,
  sessionId: 's1',
  app: 'test-app',
  server: 'files',
  tool: 'read_file',
};

export const usualSettings: ResultSettings = {
  threshold: undefined,
  thresholds: {},
  appThresholds: {},
  toon: false,
  clean: false,
  cacheSeconds: {},
  retentionDays: 7,
  maxBytes: 1024 ** 3,
  maxCount: 10_000,
  deleteOnExit: false,
  folders: [],
};

export interface OpenStore extends AsyncDisposable {
  readonly store: DiskSpillStore;
  /** Contains the store's folder and its log. */
  readonly home: string;
  readonly folder: string;
  readonly logFile: string;
  /** Settings, read by the store on demand. */
  settings: ResultSettings;
  /** ms since the epoch. */
  clock: number;
}

export function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'tooltray-spills-'));
}

/** Four bytes per token: the counter has tests of its own. */
export function countRoughly(text: string): Promise<{ tokens: number; estimated: boolean }> {
  return Promise.resolve({ tokens: Math.ceil(Buffer.byteLength(text) / 4), estimated: false });
}

/** A started store; disposing closes it, and deletes the home if it created it. */
export async function openStore(
  settings: Partial<ResultSettings> = {},
  options: Partial<SpillStoreOptions> & { readonly home?: string } = {},
): Promise<OpenStore> {
  const home = options.home ?? newHome();
  const folder = options.folder ?? join(home, 'spills');
  const logFile = join(home, 'core.log');
  const log = createLog({ file: logFile });
  const opened = { settings: { ...usualSettings, ...settings }, clock: Date.UTC(2026, 0, 10) };
  const store = new DiskSpillStore({
    folder,
    settings: () => opened.settings,
    log,
    now: () => opened.clock,
    countTokens: countRoughly,
    ...options,
  });
  await store.start();
  const dispose = async (): Promise<void> => {
    await store.close();
    log.close();
    if (options.home === undefined) rmSync(home, { recursive: true, force: true });
  };
  return Object.assign(opened, { store, home, folder, logFile, [Symbol.asyncDispose]: dispose });
}

export function textResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }] };
}

/** The result as received from a pipe: bytes in chunks of 64 kB. */
export function raw(json: string | Buffer, chunkBytes = 65_536): RawJson {
  const bytes = Buffer.from(json);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes));
  return new RawJson(chunks);
}
