/** The config file in use: read, watched, edited. While the file is invalid, the last valid config stays in use. */
import { realpath } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type FSWatcher, watch } from 'chokidar';
import { AppError, toAppError } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import type { ConfigApproval, GatedConfig, PendingEdit } from './config-approval.ts';
import type { AppConfig, ConfigProblem } from './app-config.ts';
import { modeNames } from './mode-names.ts';
import { defaultConfig } from './default-config.ts';
import { withSqliteLock } from '../base/file-lock.ts';
import { type ParsedConfig, parseConfig } from './read-config.ts';
import { rawEntry } from './edit-config.ts';
import { markReviewed, markBlocked } from './server-holds.ts';
import type { JsonObject } from '../base/json.ts';
import type { KnownNames } from './read-settings.ts';
import { type LayerFiles, configVersion } from './layers/layer-files.ts';
import type { Env } from './replace-variables.ts';
import { readConfigText, updateConfigFile } from './update-config-file.ts';

/** Editors write in several steps, so a change counts after the file was unchanged for this long, in ms. */
const debounceMs = 50;
/** How often the links on the path of a folder are checked, in ms: no watcher reports changes above the folder. */
const symlinkPollIntervalMs = 400;

interface ConfigStoreOptions {
  readonly mayBeMissing?: boolean;
  /** False: the config in use is not recorded as approved; only our own edits are. */
  readonly records?: boolean;
}

export class ConfigStore {
  /** Emits the last valid config after a change. */
  readonly changed = new Emitter<AppConfig>();
  readonly problemsChanged = new Emitter<readonly ConfigProblem[]>();
  /** Emits when edits of other programs wait for the user. */
  readonly pendingEditsChanged = new Emitter();
  readonly path: string;
  readonly #env: Env;
  readonly #known: KnownNames | undefined;
  readonly #accepted: ConfigApproval | undefined;
  readonly #layers: LayerFiles | undefined;
  readonly #records: boolean;
  #waiting: readonly PendingEdit[] = [];
  #current: AppConfig;
  #problems: readonly ConfigProblem[] = [];
  #isMissing = false;
  /** The last valid text of the file that this process has read. */
  #text: string | undefined;
  /** The last config that was valid as a whole; undefined before that. */
  #lastGood: AppConfig | undefined;
  #watcher: FSWatcher | undefined;
  #starting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #links: NodeJS.Timeout | undefined;
  #watched: readonly string[] = [];
  #version = '';
  #reading: Promise<void> = Promise.resolve();

  private constructor(
    path: string,
    env: Env,
    known: KnownNames | undefined,
    accepted: ConfigApproval | undefined,
    layers: LayerFiles | undefined,
    records: boolean,
  ) {
    this.path = path;
    this.#env = env;
    this.#known = known;
    this.#accepted = accepted;
    this.#layers = layers;
    this.#records = records;
    this.#current = defaultConfig(path);
  }

  /**
   * Reads the file. Throws `config_not_found`, unless it may be missing: then the approved config is in use,
   * or that of a first run, and nothing is written. An invalid file is no error here, but has no servers, and
   * `problems`.
   * `accepted`: what the user approved of this file; without it, every edit counts as approved. `layers`: of the
   * folder
   * of the file.
   */
  static async open(
    path: string,
    env: Env = process.env,
    known?: KnownNames,
    accepted?: ConfigApproval,
    layers?: LayerFiles,
    { mayBeMissing = false, records = true }: ConfigStoreOptions = {},
  ): Promise<ConfigStore> {
    const store = new ConfigStore(path, env, known, accepted, layers, records);
    const take = (): Promise<void> => store.#takeFile();
    await (mayBeMissing ? take().catch((error: unknown) => store.#takeReplacement(error)) : take()).catch(
      async (error: unknown) => {
        if (toAppError(error).code !== 'config_invalid') throw error;
        if (accepted !== undefined) await store.#startFromAgreed(accepted);
        store.#problems = [wholeFile(path, error)];
      },
    );
    return store;
  }

  /** The last valid config; without servers if there never was one. */
  get current(): AppConfig {
    return this.#current;
  }

  /** The same as a function, for callers that read it at every step. */
  readonly latest = (): AppConfig => this.#current;

  /** Returns a getter for one part of the current config. */
  reader<Part extends keyof AppConfig>(part: Part): () => AppConfig[Part] {
    return () => this.#current[part];
  }

  /** Short hash of the active config; equal configs have equal hashes. Empty if there never was a valid one. */
  get version(): string {
    return this.#version;
  }

  /** Whether the file is missing, so that what `restore` would write is in use. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  get problems(): readonly ConfigProblem[] {
    return this.#problems;
  }

  /** Config edits not made by Tooltray that await the user's approval. */
  get pendingEdits(): readonly PendingEdit[] {
    return this.#waiting;
  }

  /** Approves the pending edits. Throws `config_conflict` if they have changed. */
  async approvePending(waiting: readonly PendingEdit[]): Promise<void> {
    const accepted = this.#accepted;
    if (accepted === undefined) return;
    await this.#locked(async () => {
      const text = await readConfigText(this.path);
      const reading = this.#readText(text);
      const now = await accepted.evaluate(text, reading, this.#env);
      if (!isDeepStrictEqual(now.waiting, waiting)) {
        throw new AppError('config_conflict', 'The config file was changed again.', {
          fix: 'Review the pending items: tooltray inbox.',
        });
      }
      await accepted.approveAll(text, this.path, this.#env);
    });
    await this.reload();
  }

  /**
   * Applies the user's decision on a server whose entry was shown as `seen`. Throws `server_not_found`, or
   * `config_conflict` if the entry has changed since.
   */
  async decideServer(server: string, choice: 'accept' | 'block', seen: JsonObject): Promise<void> {
    await this.#locked(async () => {
      const text = await readConfigText(this.path);
      if (!isDeepStrictEqual(rawEntry(text, server), seen)) {
        throw new AppError('config_conflict', `The entry of ${server} was changed again.`, {
          fix: `Review the current entry: tooltray inbox show ${server}.`,
        });
      }
      await this.#accepted?.decideServer(server, choice, text, this.path, this.#env);
    });
    if (choice === 'accept') await this.update((text) => markReviewed(text, server));
    // Nothing else is recorded for a file that is not our own.
    else if (this.#accepted === undefined) await this.update((text) => markBlocked(text, server));
    else await this.reload();
  }

  /** Watches the file until `stop`; resolves when watching has started. */
  start(): Promise<void> {
    this.#starting ??= this.#watch();
    return this.#starting;
  }

  async stop(): Promise<void> {
    // A watcher that is being created would outlive us.
    await this.#starting;
    this.#starting = undefined;
    clearTimeout(this.#timer);
    clearInterval(this.#links);
    await this.#watcher?.close();
    this.#watcher = undefined;
    await this.#reading;
  }

  /**
   * Edits the file (edits are in edit-config.ts); `current` is the new config when it resolves. Throws as
   * updateConfigFile does.
   */
  async update(edit: (text: string) => string): Promise<void> {
    await updateConfigFile(
      this.path,
      edit,
      (before, after) =>
        this.#accepted === undefined
          ? Promise.resolve()
          : this.#accepted.recordOwnEdit(before, after, this.path, this.#env),
      // A deleted file must not be recreated with this edit alone.
      this.#layers === undefined ? await this.#replacement() : '',
    );
    await this.reload();
  }

  /**
   * Writes a missing file: its last text, what was approved, or the config of a first run. An existing file stays
   * unchanged.
   */
  async restore(): Promise<void> {
    await this.update((text) => text);
  }

  /**
   * The current text of the file; if it is missing, the text that `restore` would write. Otherwise rejects as
   * readConfigText does.
   */
  async text(): Promise<string> {
    return readConfigText(this.path).catch((error: unknown) => {
      if (this.#layers !== undefined || toAppError(error).code !== 'config_not_found') throw error;
      return this.#replacement();
    });
  }

  /** Parses a text as the config file; changes nothing. */
  parseText(text: string): ParsedConfig {
    return parseConfig(text, this.path, this.#env);
  }

  /** Reads the file again. Never throws; errors are in `problems`. */
  async reload(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read());
    await this.#reading;
  }

  async #watch(): Promise<void> {
    const target = await realpath(this.path).catch(() => this.path);
    const accepted = this.#accepted === undefined ? [] : [this.#accepted.file];
    this.#watched = (await this.#layers?.watchedPaths()) ?? [];
    if (this.#layers !== undefined)
      this.#links ??= setInterval(() => void this.#followLinks(), symlinkPollIntervalMs).unref();
    const paths = [...new Set([this.path, target, ...accepted, ...this.#watched])];
    this.#watcher = watch(paths, {
      ignoreInitial: true,
      awaitWriteFinish: { stabilityThreshold: debounceMs, pollInterval: 20 },
    });
    const ready = new Promise((resolve) => this.#watcher?.once('ready', () => resolve(undefined)));
    this.#watcher.on('all', () => this.#readSoon());
    // Without a watcher, our own edits are still noticed.
    this.#watcher.on('error', () => this.#readSoon());
    await ready;
    // Changes since `open` raised no event.
    await this.reload();
  }

  /** A checkout or a mounted volume is replaced as a whole through a link, so the watched folder may be outdated. */
  async #followLinks(): Promise<void> {
    const places = (await this.#layers?.watchedPaths()) ?? [];
    if (isDeepStrictEqual(places, this.#watched) || this.#starting === undefined) return;
    this.#watched = places;
    this.#starting = this.#starting.then(async () => {
      await this.#watcher?.close();
      await this.#watch();
    });
  }

  #readSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.reload(), debounceMs);
  }

  // The watcher also reports our own edits; they are announced once, because the second reading finds no difference.
  async #read(): Promise<void> {
    try {
      await this.#takeFile();
    } catch (error) {
      this.#isMissing = toAppError(error).code === 'config_not_found';
      this.#setProblems([this.#isMissing ? missingFile(this.path) : wholeFile(this.path, error)]);
    }
  }

  async #replacement(): Promise<string> {
    return this.#text ?? (await this.#accepted?.asText(this.path, this.#env)) ?? initialConfigText;
  }

  /** A missing file with approved servers is reported; a first run is not. */
  async #takeReplacement(error: unknown): Promise<void> {
    if (toAppError(error).code !== 'config_not_found') throw error;
    const text = await this.#replacement();
    this.#take({ ...this.#readText(text), waiting: [] });
    this.#isMissing = true;
    if (text !== initialConfigText) this.#setProblems([missingFile(this.path)]);
  }

  async #takeFile(): Promise<void> {
    const text = await readConfigText(this.path);
    this.#isMissing = false;
    const reading = this.#readText(text);
    if (reading.config !== undefined) this.#text = text;
    if (this.#accepted !== undefined) {
      const judged = await this.#judge(text, reading);
      if (judged.config === undefined && this.#lastGood === undefined) await this.#startFromAgreed(this.#accepted);
      return this.#take(judged);
    }
    this.#take({ ...(await this.#withLayers(text, reading)), waiting: [] });
  }

  /** If the file cannot be read at the start, the last approved config is in use until it is corrected. */
  async #startFromAgreed(accepted: ConfigApproval): Promise<void> {
    const config = await accepted.lastAgreed(this.path, this.#env);
    if (config !== undefined) this.#lastGood = this.#current = config;
  }

  /** Applies the layers; changes nothing if the organization's file is unreadable. */
  async #withLayers(text: string, reading: ParsedConfig): Promise<ParsedConfig> {
    if (reading.config === undefined) return reading;
    this.#version = configVersion(text);
    if (this.#layers === undefined) return reading;
    const { layers, problems, version } = await this.#layers.read(text, reading.config);
    this.#version = version;
    return { config: { ...reading.config, layers }, problems: [...reading.problems, ...problems] };
  }

  #readText(text: string): ParsedConfig {
    return parseConfig(text, this.path, this.#env, this.#lastGood, this.#known);
  }

  async #judge(text: string, reading: ParsedConfig): Promise<GatedConfig> {
    const accepted = this.#accepted;
    if (accepted === undefined) return { ...reading, waiting: [] };
    const seen = await accepted.evaluate(text, reading, this.#env);
    if (seen.waiting.length === 0 && (seen.agree === undefined || !this.#records)) return seen;
    // Another process of Tooltray may be between recording its edit and writing it.
    return this.#locked(async () => {
      const again = await readConfigText(this.path);
      const now = await accepted.evaluate(again, this.#readText(again), this.#env);
      if (now.agree !== undefined && this.#records) await accepted.save(now.agree);
      return now;
    }).catch((error: unknown) => {
      // A file that cannot be written is not changed by others either, so the last content counts.
      if (['config_invalid', 'config_not_found'].includes(toAppError(error).code)) throw error;
      return seen;
    });
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    return withSqliteLock(await realpath(this.path).catch(() => this.path), work);
  }

  #take({ config, problems, waiting }: GatedConfig): void {
    const before = this.#current;
    if (config !== undefined) this.#lastGood = this.#current = config;
    this.#setProblems(config === undefined ? problems.map((problem) => this.#reportStored(problem)) : problems);
    if (!isDeepStrictEqual(before, this.#current)) this.changed.emit(this.#current);
    // An unreadable file has no pending edits of its own.
    if (config === undefined || isDeepStrictEqual(waiting, this.#waiting)) return;
    this.#waiting = waiting;
    this.pendingEditsChanged.emit();
  }

  #setProblems(problems: readonly ConfigProblem[]): void {
    if (isDeepStrictEqual(problems, this.#problems)) return;
    this.#problems = problems;
    this.problemsChanged.emit(problems);
  }

  #reportStored(problem: ConfigProblem): ConfigProblem {
    if (this.#lastGood === undefined) return problem;
    return { ...problem, reason: `${problem.reason} The last valid configuration stays in use.` };
  }
}

/** A problem without a position in the file. */
function wholeFile(path: string, error: unknown): ConfigProblem {
  const { message, fix } = error instanceof AppError ? error : toAppError(error);
  return { severity: 'error', file: path, line: 1, column: 1, path: '', reason: message, suggestion: fix };
}

function missingFile(path: string): ConfigProblem {
  const reason = `The config file ${path} is missing. The last configuration stays in use.`;
  const suggestion = 'Restore it: tooltray doctor --fix.';
  return { severity: 'error', file: path, line: 1, column: 1, path: '', reason, suggestion };
}

// The config file of a first run: it is valid and shows what can be added.

/** JSONC with comments for the user. */
export const initialConfigText = `{
  // How tools are shown to AI apps. "auto": the cheapest mode for each of them. Or one of
  // ${modeNames.join(', ')}.
  "mode": "auto",

  // Your MCP servers. This file is read again whenever you save it.
  "servers": {
    // Comes with Tooltray: time, and files in the folders you list here, such as "~/Documents".
    "utils": { "type": "builtin", "builtin": "utils", "folders": [] },

    // A server that is a program:
    // "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] },
    // A server on the network; \${env:NAME} is replaced by an environment variable:
    // "example": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer \${env:EXAMPLE_TOKEN}" } },
  }
}
`;
