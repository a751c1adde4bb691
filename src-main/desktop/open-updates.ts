/** Loads the updater in a separate module, since most starts never need it. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import updater from 'electron-updater';
import { parse } from 'yaml';
import { isObject } from '../core/base/json.ts';
import type { Log } from '../core/base/log.ts';
import type { PreferenceStore } from './preferences.ts';
import { type FoundUpdate, unsignedReason, Updates } from './updates.ts';

interface UpdatesOptions {
  readonly preferences: PreferenceStore;
  readonly log: Log;
  readonly onFound: (found: FoundUpdate) => void;
  /** Stops everything but Electron; resolves to false if the user cancels. */
  readonly prepare: () => Promise<boolean>;
  /** Quits the app and starts it again. */
  readonly restart: () => void;
}

export async function openUpdates(options: UpdatesOptions): Promise<Updates> {
  const { preferences, log, onFound, prepare, restart } = options;
  const { autoUpdater } = updater;
  // It would print each check to the console.
  autoUpdater.logger = null;
  const { platform } = process;
  const macSignature = platform === 'darwin' ? await describeSignature() : '';
  return new Updates({
    updater: autoUpdater,
    setting: () => preferences.get('updates'),
    onError: (error) => log.warn('Could not check for a newer version.', { error }),
    onFound,
    prepare,
    restart,
    lastNotified: {
      get: () => preferences.get('notifiedVersion'),
      set: (version) => preferences.set('notifiedVersion', version),
    },
    refusal: unsignedReason(platform, packedUpdateSettings(), macSignature),
  });
}

/** Update settings written next to the app by the packager: update URL and signer. */
function packedUpdateSettings(): Record<string, unknown> {
  try {
    const settings: unknown = parse(readFileSync(join(process.resourcesPath, 'app-update.yml'), 'utf8'));
    return isObject(settings) ? settings : {};
  } catch {
    return {};
  }
}

/** macOS' description of the app's signature; empty if it has none. */
async function describeSignature(): Promise<string> {
  const bundle = join(process.resourcesPath, '..', '..');
  const run = promisify(execFile)('/usr/bin/codesign', ['--display', '--verbose=2', bundle]);
  return run.then(({ stderr }) => stderr).catch(() => '');
}
