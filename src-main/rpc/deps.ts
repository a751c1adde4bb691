/** What the answers to people's questions are made from. */
import type { Aggregator } from '../core/aggregator.ts';
import type { AppsService } from './apps-service.ts';
import type { Doors } from './core-state.ts';
import type { DesktopService } from './desktop-service.ts';

export interface RpcDeps {
  readonly core: Aggregator;
  readonly doors: () => Doors;
  /** Returns how to stop; absent where the doors stay as they are. */
  readonly onDoorsChange?: (listener: () => void) => () => void;
  readonly stop: () => void;
  /** The desktop app around the core; undefined where there is none. */
  readonly desktop: DesktopService | undefined;
  /** Client apps of this machine. */
  readonly apps: AppsService;
}
