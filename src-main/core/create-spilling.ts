/** Creates the components for spills: the store, the readers, and the rule for what is spilled. */
import type { Log } from './base/log.ts';
import type { StoreHealth } from './health/store-health.ts';
import { ResultShaper } from './calls/shape-result.ts';
import type { ResultSettings } from './config/app-config.ts';
import { inlineBytesOf } from './client-apps/app-traits.ts';
import type { ModeRegistry } from './modes/mode-registry.ts';
import type { ResultMeasurer } from './spills/result-measurer.ts';
import { ScheduledDeletions } from './spills/spill-pruner.ts';
import { SpillAccess, SpillReader } from './spills/spill-reader.ts';
import type { CoreStores } from './core-stores.ts';
import type { SpillStore } from './spills/spill-store.ts';
import type { ProtectedPaths } from './security/protected-paths.ts';
import type { CountText } from './spills/spill-result.ts';

interface ResultsOptions {
  readonly folder: string;
  readonly settings: () => ResultSettings;
  readonly log: Log;
  readonly health: StoreHealth;
  readonly countTokens: CountText;
  readonly measurer: ResultMeasurer;
  readonly own: ProtectedPaths;
  readonly store: CoreStores['spills'];
  readonly modes: ModeRegistry;
}

interface Results {
  readonly spills: SpillStore;
  readonly files: SpillAccess;
  readonly deletions: ScheduledDeletions;
  readonly shaper: ResultShaper;
  readonly close: () => Promise<void>;
}

export function createSpilling(options: ResultsOptions): Results {
  const { folder, settings, log, health, countTokens, own, measurer, store: spillStore, modes } = options;
  const spills = spillStore({ folder, settings, log: log.child('spills'), health, now: Date.now, countTokens, own });
  const reader = new SpillReader();
  const deletions = new ScheduledDeletions((id) => spills.remove(id));
  const shaper = new ResultShaper({
    keep: (result, origin, textKind, sent) => spills.spill(result, origin, textKind, sent),
    measurer,
    settings,
    inlineBytes: inlineBytesOf,
    readHint: modes.readHint,
    log: log.child('results'),
  });
  const close = async (): Promise<void> => {
    await deletions.close();
    await spills.close();
    await reader.close();
  };
  return { spills, files: new SpillAccess(spills, reader), deletions, shaper, close };
}
