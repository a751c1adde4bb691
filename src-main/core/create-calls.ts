/** The calls of a core: catalog, pipeline, modes, spilled results, and the code runner. */
import { type CallStagesDeps, createCallStages } from './calls/call-stages.ts';
import type { CallStages } from './calls/call-tool.ts';
import type { ResultShaper } from './calls/shape-result.ts';
import { createToolEnablement, LiveCatalog } from './catalog/live-catalog.ts';
import { ModeCosts } from './choose-mode.ts';
import { CodeRunner } from './code-runner/code-runner.ts';
import type { DescriptionStore } from './condense/description-store.ts';
import type { CoreContext, Edition } from './core-context.ts';
import type { CoreStores } from './core-stores.ts';
import type { Activity } from './create-activity.ts';
import type { ServersGroup } from './create-server-admin.ts';
import { createSpilling } from './create-spilling.ts';
import type { TrustGroup } from './create-trust.ts';
import type { ModeRegistry } from './modes/mode-registry.ts';
import { tooltrayPaths } from './security/protected-paths.ts';
import type { ScheduledDeletions } from './spills/spill-pruner.ts';
import type { SpillAccess } from './spills/spill-reader.ts';
import type { SpillStore } from './spills/spill-store.ts';

/** How long a first list waits for servers that were never listed before, in ms. */
export const settleMs = 10_000;

interface CallsOptions {
  readonly context: CoreContext;
  readonly stores: CoreStores;
  readonly servers: ServersGroup;
  readonly record: Activity;
  readonly trust: Pick<TrustGroup, 'dataFlow' | 'scans' | 'callAuditor'>;
  readonly modes: ModeRegistry;
  readonly descriptions: DescriptionStore;
  readonly codeRunner: CodeRunner | undefined;
  readonly edition: Edition | undefined;
}

/** The pipeline of tool calls, and the stores of results. */
export interface CallsGroup {
  readonly catalog: LiveCatalog;
  readonly stages: CallStages;
  readonly shaper: ResultShaper;
  /** Results stored on disk. */
  readonly spills: SpillStore;
  readonly spillFiles: SpillAccess;
  readonly scheduledDeletions: ScheduledDeletions;
  readonly codeRunner: CodeRunner;
  /** Short descriptions that models wrote for tools. */
  readonly descriptions: DescriptionStore;
  readonly modes: ModeRegistry;
  readonly modeCosts: ModeCosts;
}

export interface CreatedCalls {
  readonly calls: CallsGroup;
  /** For further pipelines, of profiles and of apps that declare extensions. */
  readonly stagesDeps: CallStagesDeps;
  readonly close: () => Promise<void>;
}

export function createCalls(options: CallsOptions): CreatedCalls {
  const { context, stores, servers, record, trust, modes, descriptions, edition } = options;
  const { config, paths, health, log } = context;
  const knownFix = (server: string): string | undefined => servers.healing.hintFor(server);
  const isOn = createToolEnablement(config.reader('servers'));
  const catalog = new LiveCatalog({
    servers: servers.manager,
    reserved: new Set(modes.helpers.keys()),
    isOn,
    problems: () => config.problems,
    knownFix,
  });
  const results = createSpilling({
    folder: paths.spillDir,
    own: tooltrayPaths(paths, config.path),
    settings: config.reader('results'),
    store: stores.spills,
    modes,
    health,
    log,
    countTokens: record.countTokens,
    measurer: record.measurer,
  });
  const stagesDeps: CallStagesDeps = {
    scans: trust.scans,
    catalog,
    servers: servers.manager,
    isOn,
    knownFix,
    shaper: results.shaper,
    activity: record.activity,
    timeline: record.timeline,
    notes: trust.callAuditor,
    settleMs,
    results: config.reader('results'),
    flow: trust.dataFlow.flow,
    writesAhead: () => config.current.audit.writeAhead,
    admit: edition?.reserveQuota,
    newTraceId: edition?.newTraceId,
  };
  const codeRunner = options.codeRunner ?? new CodeRunner();
  const { spills, files: spillFiles, deletions: scheduledDeletions, shaper } = results;
  const stages = createCallStages(stagesDeps);
  const modeCosts = new ModeCosts(modes);
  const close = async (): Promise<void> => {
    await results.close();
    if (options.codeRunner === undefined) await codeRunner.close();
  };
  return {
    calls: {
      catalog,
      stages,
      shaper,
      spills,
      spillFiles,
      scheduledDeletions,
      codeRunner,
      descriptions,
      modes,
      modeCosts,
    },
    stagesDeps,
    close,
  };
}
