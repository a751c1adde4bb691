/** Resource usage of servers on this computer, measured on request, and at most once a second. */
import { errorText } from '../base/errors.ts';
import { type GroupUsage, measureGroups, unmeasurableReason } from './launch/process-group-usage.ts';
import type { ProcessRegistry } from './launch/process-registry.ts';

export interface ServerUsage extends GroupUsage {
  readonly server: string;
  /** Share of one processor: 1 keeps one busy. Undefined before the second sample. */
  readonly load: number | undefined;
  /** Whether its processes are in a container, so that only the program that started it is measured. */
  readonly inContainer: boolean;
}

export interface Usage {
  readonly servers: readonly ServerUsage[];
  /** The reason why nothing is measured; undefined if it is. */
  readonly unmeasured: string | undefined;
}

interface UsageMeterParts {
  readonly registry: Pick<ProcessRegistry, 'owned'>;
  /** Monotonic clock, in ms. */
  readonly now?: () => number;
  readonly platform?: NodeJS.Platform;
  readonly measure?: typeof measureGroups;
}

interface Look {
  readonly at: number;
  readonly groups: ReadonlyMap<number, GroupUsage>;
  readonly usage: Usage;
}

const minSampleIntervalMs = 1000;
/** Maximum age of a sample, in ms; an older one does not describe the present. */
const maxMs = 30_000;

export class UsageMeter {
  readonly #parts: UsageMeterParts;
  readonly #now: () => number;
  #last: Look | undefined;
  #looking: Promise<Usage> | undefined;

  constructor(parts: UsageMeterParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
  }

  /** Usage of the servers that run as processes of this computer. Never rejects. */
  read(): Promise<Usage> {
    if (this.#last !== undefined && this.#now() - this.#last.at < minSampleIntervalMs)
      return Promise.resolve(this.#last.usage);
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<Usage> {
    const { registry, platform = process.platform, measure = measureGroups } = this.#parts;
    const why = unmeasurableReason(platform);
    if (why !== undefined) return { servers: [], unmeasured: why };
    const owned = registry.owned();
    try {
      const groups = await measure(
        owned.map(({ pid }) => pid),
        platform,
      );
      const at = this.#now();
      const before = this.#last !== undefined && at - this.#last.at <= maxMs ? this.#last : undefined;
      const names = [...new Set(owned.map(({ owner }) => owner))];
      const servers = names.flatMap((server) => {
        const pids = owned.filter(({ owner }) => owner === server);
        const usage = total(pids.flatMap(({ pid }) => groups.get(pid) ?? []));
        if (usage.processes === 0) return [];
        const spent =
          before &&
          spentSince(
            before.groups,
            groups,
            pids.map(({ pid }) => pid),
          );
        const load = before === undefined || spent === undefined ? undefined : spent / (at - before.at);
        return [{ server, ...usage, load, inContainer: pids.some(({ inContainer }) => inContainer) }];
      });
      const usage = { servers, unmeasured: undefined };
      this.#last = { at, groups, usage };
      return usage;
    } catch (error) {
      return { servers: [], unmeasured: `Not measured: ${errorText(error)}.` };
    }
  }
}

function total(usages: readonly GroupUsage[]): GroupUsage {
  return usages.reduce(
    (sum, one) => ({
      processes: sum.processes + one.processes,
      memoryBytes: sum.memoryBytes + one.memoryBytes,
      cpuMs: sum.cpuMs + one.cpuMs,
    }),
    { processes: 0, memoryBytes: 0, cpuMs: 0 },
  );
}

/** CPU time of the groups in both samples, in ms. A group that lost a process which was not reaped counts as idle. */
function spentSince(
  before: ReadonlyMap<number, GroupUsage>,
  after: ReadonlyMap<number, GroupUsage>,
  pids: readonly number[],
): number | undefined {
  const known = pids.filter((pid) => before.has(pid) && after.has(pid));
  if (known.length === 0) return undefined;
  return known.reduce((sum, pid) => sum + Math.max(0, (after.get(pid)?.cpuMs ?? 0) - (before.get(pid)?.cpuMs ?? 0)), 0);
}
