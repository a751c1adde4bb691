/** Logs a replica's config problems as they occur, and counts them for the metrics. */
import type { ConfigProblem, ConfigStore } from '../../core/edition.ts';
import type { Log } from '../../core/base/log.ts';

type Config = Pick<ConfigStore, 'problems' | 'problemsChanged' | 'version'>;

export class ConfigProblems {
  readonly #config: Config;
  readonly stop: () => void;

  constructor(config: Config, log: Pick<Log, 'warn'>) {
    this.#config = config;
    // Problems at startup were already reported when the config was opened.
    let known: ReadonlySet<string> = new Set(config.problems.map(problemLine));
    this.stop = config.problemsChanged.on((problems) => {
      const lines = new Set(problems.map(problemLine));
      for (const line of lines) if (!known.has(line)) log.warn(line);
      known = lines;
    });
  }

  /** Number of problems, and how many of them are rejected overrides. */
  get counts(): { readonly problems: number; readonly refused: number } {
    const { problems } = this.#config;
    return { problems: problems.length, refused: problems.filter(({ isRefused }) => isRefused === true).length };
  }

  get version(): string {
    return this.#config.version;
  }
}

/** `file:line:column: path: reason. Suggestion.`; without the path if the problem has none. */
export function problemLine({ file, line, column, path, reason, suggestion }: ConfigProblem): string {
  const what = path === '' ? reason : `${path}: ${reason}`;
  return `${file}:${line}:${column}: ${[what, suggestion ?? ''].join(' ').trimEnd()}`;
}
