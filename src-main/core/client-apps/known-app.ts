/** What is known of a client app: where its config file is, what an entry in it looks like, how to tell that it runs. */
import type { EntryShape } from './entry-shapes.ts';

export type System = 'darwin' | 'win32' | 'linux';

/** The same on every system, or one list per system; none: the app does not exist there. */
export type PathsBySystem = readonly string[] | Readonly<Partial<Record<System, readonly string[]>>>;

export interface KnownApp {
  /** As `tooltray install` and `--app` take it. */
  readonly id: string;
  readonly name: string;
  readonly format: 'json' | 'jsonc' | 'toml' | 'yaml';
  /**
   * The person's config file. Of several the first that exists counts, else the first. May begin with a variable
   * that app-files.ts knows, such as `$HOME`.
   */
  readonly files: PathsBySystem;
  /** Below a project's folder. */
  readonly projectFiles: readonly string[];
  /** What makes it read a project's file, where that is more than `restart` says. */
  readonly projectRestart?: string;
  /** The keys that lead to the entries. */
  readonly container: readonly string[];
  /** Other places of entries, for reading only; `*` is any key. */
  readonly alsoReads?: readonly (readonly string[])[];
  readonly shape: EntryShape;
  /** Folders whose presence says that the app is here, config file or not. */
  readonly traces: PathsBySystem;
  /** Names of its processes, lower case, without `.exe`. */
  readonly processes: readonly string[];
  /** It keeps its settings in memory and writes them back: a change while it runs may be lost. */
  readonly overwrites: boolean;
  /** What makes it read its config file anew. */
  readonly restart: string;
}

/** One path per system. */
export function everywhere(darwin: string, win32: string, linux: string): PathsBySystem {
  return { darwin: [darwin], win32: [win32], linux: [linux] };
}
