/** State shared by the stand-in's parts: the browser, its windows, and the app's requests to the system. */
import type { Cdp } from './cdp.ts';
import type { StandInWindow } from './browser-window.ts';

export interface Asked {
  /** Such as `shell.openExternal`. */
  readonly what: string;
  readonly args: readonly unknown[];
}

export interface Stage {
  cdp: Cdp | undefined;
  appPath: string;
  manifest: Readonly<Record<string, unknown>>;
  isQuitting: boolean;
  /** The packed program in place of Electron's; undefined: the app is not packed. */
  readonly program: string | undefined;
  readonly windows: Set<StandInWindow>;
  /** In order; tests read it through the app's `globalThis.standIn`. */
  readonly asked: Asked[];
}

export const stage: Stage = {
  cdp: undefined,
  appPath: process.cwd(),
  manifest: {},
  isQuitting: false,
  program: process.env['STAND_IN_PROGRAM'],
  windows: new Set(),
  asked: [],
};

export function record(what: string, ...args: readonly unknown[]): void {
  stage.asked.push({ what, args });
}

export function browser(): Cdp {
  if (stage.cdp === undefined) throw new Error('The browser behind the stand-in has not started.');
  return stage.cdp;
}
