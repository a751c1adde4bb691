/** Fetches the host bridge when the first view is opened. */
import type * as HostBridge from './host-bridge.ts';

/**
 * Where every copy of zod looks for its settings; its own `config` comes with all of it, when the bridge has made its
 * schemas.
 */
declare global {
  var __zod_globalConfig: { jitless?: boolean } | undefined;
}

/** The page's policy lets nobody make code out of text: schemas are not to try. */
export function loadBridge(): Promise<typeof HostBridge> {
  globalThis.__zod_globalConfig = { ...globalThis.__zod_globalConfig, jitless: true };
  return import('./host-bridge.ts');
}
