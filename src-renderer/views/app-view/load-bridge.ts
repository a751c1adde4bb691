/** Loads the host bridge when the first view is opened. */
import type * as HostBridge from './host-bridge.ts';

/**
 * Global settings read by every copy of zod; calling its own `config` would load all of it, after the bridge has
 * created its schemas.
 */
declare global {
  var __zod_globalConfig: { jitless?: boolean } | undefined;
}

/** The page's content security policy forbids eval, so zod must not try it. */
export function loadBridge(): Promise<typeof HostBridge> {
  globalThis.__zod_globalConfig = { ...globalThis.__zod_globalConfig, jitless: true };
  return import('./host-bridge.ts');
}
