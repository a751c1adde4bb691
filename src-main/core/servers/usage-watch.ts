/** Reports servers that take more memory or have more processes than a server needs, measured once a minute. */
import { Emitter } from '../base/emitter.ts';
import type { Log } from '../base/log.ts';
import type { ServerUsage, UsageMeter } from './usage-meter.ts';

interface UsageLimits {
  readonly memoryBytes: number;
  readonly processes: number;
}

/** A browser driven by a server stays below both. */
const defaultLimits: UsageLimits = { memoryBytes: 4 * 1024 ** 3, processes: 100 };
const intervalMs = 60_000;

export class UsageWatch {
  /** Emits the name of a server that exceeded a limit, or is below all limits again. */
  readonly changed = new Emitter<string>();
  readonly #usage: Pick<UsageMeter, 'read'>;
  readonly #log: Log;
  readonly #limits: UsageLimits;
  readonly #over = new Map<string, string>();

  constructor(usage: Pick<UsageMeter, 'read'>, log: Log, limits: UsageLimits = defaultLimits) {
    this.#usage = usage;
    this.#log = log;
    this.#limits = limits;
  }

  /** Starts regular measurements; returns a function that stops them. */
  start(): () => void {
    const timer = setInterval(() => void this.check(), intervalMs).unref();
    return () => clearInterval(timer);
  }

  /** Returns the server's excessive usage as sentences; empty if there is none. */
  problemsOf(server: string): readonly string[] {
    const problem = this.#over.get(server);
    return problem === undefined ? [] : [problem];
  }

  /** Measures now. Never rejects. */
  async check(): Promise<void> {
    const { servers } = await this.#usage.read();
    const now = new Map(servers.flatMap((one) => (isOver(one, this.#limits) ? [[one.server, one] as const] : [])));
    for (const server of [...this.#over.keys()].filter((name) => !now.has(name))) {
      this.#over.delete(server);
      this.changed.emit(server);
    }
    for (const [server, one] of now) {
      const isNew = !this.#over.has(server);
      this.#over.set(server, sentenceOf(one));
      if (!isNew) continue;
      this.#log.child(server).warn(sentenceOf(one));
      this.changed.emit(server);
    }
  }
}

function isOver({ memoryBytes, processes }: ServerUsage, limits: UsageLimits): boolean {
  return memoryBytes > limits.memoryBytes || processes > limits.processes;
}

function sentenceOf({ memoryBytes, processes }: ServerUsage): string {
  const memory = `${(memoryBytes / 1024 ** 3).toFixed(1)} GB`;
  return `It uses ${memory} of memory in ${processes} ${processes === 1 ? 'process' : 'processes'}, which is unusually high.`;
}
