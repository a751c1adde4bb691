/**
 * Reserves a call in every quota that applies to it, across all replicas. If a quota is exhausted, the error names it,
 * when it resets, and the fix.
 */
import type { Admission, AdmitCall, CallerContext, CatalogEntry, NamedQuota } from '../../core/edition.ts';
import { AppError, errorText } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/log.ts';
import { formatBytes, formatCount } from '../../core/base/text-format.ts';
import type { ConcurrencyCounts } from './concurrency-counts.ts';
import type { WindowExhausted, Window, RateWindows } from './rate-windows.ts';

interface QuotasDeps {
  readonly windows: Pick<RateWindows, 'take' | 'refund' | 'isFull' | 'add'>;
  readonly running: Pick<ConcurrencyCounts, 'acquire' | 'release'>;
  readonly log: Pick<Log, 'warn'>;
}

/** The amount taken from one quota. */
interface Part {
  readonly giveBack?: () => Promise<void>;
  readonly ended?: (bytes: number) => Promise<void>;
}

const lengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

export class Quotas {
  readonly #parts: QuotasDeps;
  #refused = 0;

  constructor(parts: QuotasDeps) {
    this.#parts = parts;
  }

  /** Number of calls rejected because a quota was exhausted. */
  get refused(): number {
    return this.#refused;
  }

  readonly admit: AdmitCall = async (tool, context) => {
    const taken: Part[] = [];
    const giveBack = (): void => taken.forEach((part) => void part.giveBack?.());
    try {
      for (const quota of context.quotas ?? [])
        if (counts(quota, tool)) taken.push(await this.#acquire(quota, keyOf(quota, tool, context)));
    } catch (error) {
      giveBack();
      throw error;
    }
    return {
      giveBack,
      ended: async (bytes) => void (await Promise.all(taken.flatMap((part) => part.ended?.(bytes) ?? []))),
    } satisfies Admission;
  };

  async #acquire(quota: NamedQuota, key: string): Promise<Part> {
    const { windows, running } = this.#parts;
    const { maxConcurrent, bytes, calls, window: per = 'minute' } = quota;
    if (maxConcurrent !== undefined) {
      const id = await running.acquire(key, maxConcurrent);
      if (id === undefined) throw this.#refuse(quota, undefined);
      // A caller that has its result may call again immediately, on any replica.
      return { giveBack: () => running.release(id), ended: () => running.release(id) };
    }
    const window: Window = { key: `${key} ${per}`, limit: calls ?? bytes ?? 0, lengthMs: lengths[per] };
    if (calls !== undefined) {
      const one = await windows.take(window);
      if ('leftMs' in one) throw this.#refuse(quota, one);
      return { giveBack: () => this.#counted(windows.refund(window, one)) };
    }
    const usedUp = await windows.isFull(window);
    if (usedUp !== undefined) throw this.#refuse(quota, usedUp);
    return { ended: (given) => this.#counted(windows.add(window, given)) };
  }

  /** Never rejects, because the call has ended. */
  #counted(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) =>
      this.#parts.log.warn(`Could not count a result against its quota: ${errorText(error)}`),
    );
  }

  #refuse(quota: NamedQuota, usedUp: WindowExhausted | undefined): AppError {
    this.#refused++;
    const { name, groupBy } = quota;
    const whose = groupBy.length === 0 ? 'for all users together' : `for each ${groupBy.join(' and ')}`;
    if (usedUp === undefined) {
      const reason = `The quota "${name}" allows ${formatCount(quota.maxConcurrent ?? 0, 'concurrent call')}, ${whose}.`;
      return new AppError('not_allowed', `${reason} The call was not run.`, {
        fix: 'Wait until another call has finished, then retry.',
        data: { quota: name },
      });
    }
    const seconds = Math.max(1, Math.ceil(usedUp.leftMs / 1000));
    const amount = quota.bytes === undefined ? formatCount(quota.calls ?? 0, 'call') : formatBytes(quota.bytes);
    const reason = `The quota "${name}" is exhausted: ${amount} ${spans[quota.window ?? 'minute']}, ${whose}.`;
    return new AppError('not_allowed', `${reason} The call was not run.`, {
      fix: `It resets in ${describeWindow(seconds)}; do not retry before then. An administrator can raise it.`,
      data: { quota: name, resetsInSeconds: seconds },
    });
  }
}

const spans = { minute: 'a minute', hour: 'an hour', day: 'a day' } as const;

function counts({ servers, tools }: NamedQuota, { id, name, server }: CatalogEntry): boolean {
  if (servers === undefined && tools === undefined) return true;
  return servers?.includes(server) === true || tools?.includes(id) === true || tools?.includes(name) === true;
}

/** Uses the app name of the token, because a client can send any name. */
function keyOf({ id, groupBy }: NamedQuota, tool: CatalogEntry, { principal }: CallerContext): string {
  const whose = { user: principal.user, app: principal.owner, server: tool.server, tool: tool.id };
  return JSON.stringify([id, ...groupBy.toSorted().map((dimension) => [dimension, whose[dimension]])]);
}

function describeWindow(seconds: number): string {
  if (seconds < 120) return formatCount(seconds, 'second');
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? formatCount(minutes, 'minute') : formatCount(Math.ceil(minutes / 60), 'hour');
}
