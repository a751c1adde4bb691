/** What the lists of a merged view are made from and answered with. */
import type { LiveCatalog } from '../catalog/live-catalog.ts';
import type { Mode } from '../modes/mode.ts';
import type { ServerManager } from '../servers/server-manager.ts';
import type { HelperContexts } from './helper-contexts.ts';
import type { LookUp } from './look-up.ts';

export interface MergedParts {
  readonly catalog: LiveCatalog;
  readonly servers: ServerManager;
  readonly lookUp: LookUp;
  readonly contexts: HelperContexts;
  /** The mode now. */
  readonly mode: () => Mode;
}
