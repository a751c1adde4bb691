/**
 * Reports a replica's config problems as they occur, and other replicas whose config has differed for longer than a
 * rollout takes.
 */
import type { ConfigProblem, ConfigStore } from '../../core/edition.ts';
import type { Log } from '../../core/base/log.ts';
import type { Heartbeat } from '../replicas/heartbeat.ts';

interface ConfigDriftMonitorDeps {
  readonly config: Pick<ConfigStore, 'problems' | 'problemsChanged' | 'version' | 'path'>;
  readonly heartbeat: Pick<Heartbeat, 'refreshed' | 'others'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Tolerated duration of a difference, in ms. */
  readonly graceMs?: number;
  /** Monotonic time in ms. */
  readonly now?: () => number;
}

const defaultToleranceMs = 60_000;

export class ConfigDriftMonitor {
  readonly #parts: ConfigDriftMonitorDeps;
  readonly #now: () => number;
  readonly #stops: readonly (() => void)[];
  /** Time since which others have a different config; undefined if all have the same. */
  #differsSince: number | undefined;
  #isReported = false;
  #known: ReadonlySet<string>;

  constructor(parts: ConfigDriftMonitorDeps) {
    const { config, heartbeat, now = () => performance.now() } = parts;
    this.#parts = parts;
    this.#now = now;
    // Problems at startup were already reported when the config was opened.
    this.#known = new Set(config.problems.map(problemLine));
    this.#stops = [
      config.problemsChanged.on((problems) => this.#report(problems)),
      heartbeat.refreshed.on(() => this.#compare()),
    ];
  }

  /** Number of problems, and how many of them are rejected overrides. */
  get counts(): { readonly problems: number; readonly refused: number } {
    const { problems } = this.#parts.config;
    return { problems: problems.length, refused: problems.filter(({ isRefused }) => isRefused === true).length };
  }

  get version(): string {
    return this.#parts.config.version;
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #report(problems: readonly ConfigProblem[]): void {
    const lines = new Set(problems.map(problemLine));
    for (const line of lines) if (!this.#known.has(line)) this.#parts.log.warn(line);
    this.#known = lines;
  }

  #compare(): void {
    const { heartbeat, log, graceMs = defaultToleranceMs } = this.#parts;
    const others = heartbeat.others.filter(({ config, isDraining }) => config !== this.version && !isDraining);
    if (others.length === 0) {
      if (this.#isReported) log.info('All replicas use the same configuration again.');
      this.#differsSince = undefined;
      this.#isReported = false;
      return;
    }
    this.#differsSince ??= this.#now();
    if (this.#isReported || this.#now() - this.#differsSince < graceMs) return;
    this.#isReported = true;
    const names = others.map(({ id, config }) => `${id} (${config || 'none'})`).join(', ');
    log.warn(
      `Configuration drift: this replica uses ${this.version}, other replicas use a different version: ${names}.`,
    );
  }
}

/** `file:line:column: path: reason. Suggestion.`; without the path if the problem has none. */
export function problemLine({ file, line, column, path, reason, suggestion }: ConfigProblem): string {
  const what = path === '' ? reason : `${path}: ${reason}`;
  return `${file}:${line}:${column}: ${[what, suggestion ?? ''].join(' ').trimEnd()}`;
}
