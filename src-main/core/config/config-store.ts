/** The config file in use: read, watched, edited; what was good last stays in force while the file is bad. */
import { realpath } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type FSWatcher, watch } from 'chokidar';
import { AppError, toAppError } from '../base/errors.ts';
import { Event } from '../base/events.ts';
import type { AppConfig, ConfigProblem } from './app-config.ts';
import { defaultConfig } from './config-defaults.ts';
import { readConfigText } from './read-config-text.ts';
import { type ConfigReading, readConfig } from './read-config.ts';
import type { KnownNames } from './read-settings.ts';
import type { Environment } from './replace-variables.ts';
import { updateConfigFile } from './update-config-file.ts';

/** Editors write in several steps; a change counts when the file has been quiet for this long, in ms. */
const quietMs = 50;

export class ConfigStore {
  /** The last good config, after it changed. */
  readonly changed = new Event<AppConfig>();
  readonly problemsChanged = new Event<readonly ConfigProblem[]>();
  readonly path: string;
  readonly #env: Environment;
  readonly #known: KnownNames | undefined;
  #current: AppConfig;
  #problems: readonly ConfigProblem[] = [];
  /** Set once a config was good as a whole file; before that there is nothing to fall back on. */
  #lastGood: AppConfig | undefined;
  #watcher: FSWatcher | undefined;
  #starting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();

  private constructor(path: string, env: Environment, known: KnownNames | undefined) {
    this.path = path;
    this.#env = env;
    this.#known = known;
    this.#current = defaultConfig(path);
  }

  /** Reads the file once. Throws `config_not_found`; a bad file is no error here, but no servers and `problems`. */
  static async open(path: string, env: Environment = process.env, known?: KnownNames): Promise<ConfigStore> {
    const store = new ConfigStore(path, env, known);
    const text = await readConfigText(path).catch((error: unknown) => {
      if (toAppError(error).code !== 'config_invalid') throw error;
      store.#problems = [wholeFile(path, error)];
      return undefined;
    });
    if (text !== undefined) store.#take(text);
    return store;
  }

  /** The last good config; without servers when there never was one. */
  get current(): AppConfig {
    return this.#current;
  }

  get problems(): readonly ConfigProblem[] {
    return this.#problems;
  }

  /** Watches the file until `stop`; resolves when it is watched. */
  start(): Promise<void> {
    this.#starting ??= this.#watch();
    return this.#starting;
  }

  async stop(): Promise<void> {
    // A watcher that is just being made would outlive us.
    await this.#starting;
    this.#starting = undefined;
    clearTimeout(this.#timer);
    await this.#watcher?.close();
    this.#watcher = undefined;
    await this.#reading;
  }

  /** Edits the file (edit-config.ts has the edits); `current` is the new config when it resolves. Throws as updateConfigFile does. */
  async update(edit: (text: string) => string): Promise<void> {
    await updateConfigFile(this.path, edit);
    await this.reload();
  }

  /** What a text would be as the config file; changes nothing. */
  tryText(text: string): ConfigReading {
    return readConfig(text, this.path, this.#env);
  }

  /** Reads the file again now. Never throws: what is wrong is in `problems`. */
  async reload(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read());
    await this.#reading;
  }

  async #watch(): Promise<void> {
    const target = await realpath(this.path).catch(() => this.path);
    const paths = [...new Set([this.path, target])];
    this.#watcher = watch(paths, {
      ignoreInitial: true,
      awaitWriteFinish: { stabilityThreshold: quietMs, pollInterval: 20 },
    });
    const ready = new Promise((resolve) => this.#watcher?.once('ready', () => resolve(undefined)));
    this.#watcher.on('all', () => this.#readSoon());
    // A folder that cannot be watched is no reason to stop: edits of our own are still seen.
    this.#watcher.on('error', () => this.#readSoon());
    await ready;
    // What changed between `open` and now raised no event.
    await this.reload();
  }

  #readSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.reload(), quietMs);
  }

  // Edits of our own come back from the watcher; they are announced once because nothing differs the second time.
  async #read(): Promise<void> {
    try {
      this.#take(await readConfigText(this.path));
    } catch (error) {
      this.#setProblems([wholeFile(this.path, error)]);
    }
  }

  #take(text: string): void {
    const { config, problems } = readConfig(text, this.path, this.#env, this.#lastGood, this.#known);
    const before = this.#current;
    if (config !== undefined) this.#lastGood = this.#current = config;
    this.#setProblems(config === undefined ? problems.map((problem) => this.#sayKept(problem)) : problems);
    if (!isDeepStrictEqual(before, this.#current)) this.changed.emit(this.#current);
  }

  #setProblems(problems: readonly ConfigProblem[]): void {
    if (isDeepStrictEqual(problems, this.#problems)) return;
    this.#problems = problems;
    this.problemsChanged.emit(problems);
  }

  #sayKept(problem: ConfigProblem): ConfigProblem {
    if (this.#lastGood === undefined) return problem;
    return { ...problem, reason: `${problem.reason} The last good configuration stays in use.` };
  }
}

/** A problem that has no place in the file. */
function wholeFile(path: string, error: unknown): ConfigProblem {
  const { message, fix } = error instanceof AppError ? error : toAppError(error);
  return { severity: 'error', file: path, line: 1, column: 1, path: '', reason: message, suggestion: fix };
}
