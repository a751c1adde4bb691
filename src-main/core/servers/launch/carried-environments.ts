/**
 * Servers from the time when each got every variable of the person's login. They go on getting them until the person has seen what would
 * be missing and has decided (`inheritEnv` in the entry); a server that came later gets what is named for it.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppPaths } from '../../base/app-paths.ts';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { isObject } from '../../base/json.ts';
import type { InheritedVariables, ServerConfig, StdioServerConfig } from '../../config/app-config.ts';

/** By config file, the digest (SHA-256, hex) of what each of its servers was started from then: arguments may hold secrets. */
type Carried = Readonly<Record<string, Readonly<Record<string, string>>>>;

export class CarriedEnvironments {
  readonly #file: string;
  readonly #config: string;
  /** undefined: a home of the version before, and nobody has written down yet which servers there were. */
  #carried: Carried | undefined;

  /** To be made before anything else of a core: every core before had a folder for long answers. */
  constructor({ dataDir, spillDir }: Pick<AppPaths, 'dataDir' | 'spillDir'>, config: string) {
    this.#file = join(dataDir, 'environments.json');
    this.#config = config;
    this.#carried = existsSync(this.#file) ? readCarried(this.#file) : existsSync(spillDir) ? undefined : {};
  }

  /** Writes down once which servers there were when the rule came. Rejects with the operating system's error. */
  async settle(servers: readonly ServerConfig[]): Promise<void> {
    if (existsSync(this.#file)) return;
    const there = servers
      .filter((server) => server.kind === 'stdio')
      .map((server) => [server.name, launched(server)] as const);
    this.#carried = this.#carried === undefined ? { [this.#config]: Object.fromEntries(there) } : {};
    await writeFileAtomic(this.#file, JSON.stringify(this.#carried, null, 2), { mode: 0o600 });
  }

  /** Whether it still gets all because nobody has decided. Another program under its name does not. */
  has(server: StdioServerConfig): boolean {
    return server.inheritEnv === undefined && this.wasThere(server);
  }

  /** Whether it is one of those that were there when servers began to get less than all by themselves. */
  wasThere(server: StdioServerConfig): boolean {
    if (this.#carried === undefined) return true;
    const known = this.#carried[this.#config] ?? {};
    return Object.hasOwn(known, server.name) && known[server.name] === launched(server);
  }

  inherited(server: StdioServerConfig): InheritedVariables {
    return server.inheritEnv ?? (this.has(server) ? 'all' : []);
  }
}

/** A version that is written down, or taken out, makes no other program of it. */
function launched({ command, args }: StdioServerConfig): string {
  const words = [command, ...args.map((arg) => arg.replace(/(?<=.)(?:@[\w.^~-]+|==[\w.]+)$/, ''))];
  return createHash('sha256').update(words.join('\n')).digest('hex');
}

/** A file that cannot be read tells of no server: each then gets what is named for it, and its death says what was missing. */
function readCarried(file: string): Carried {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isObject(value) ? (value as Carried) : {};
  } catch {
    return {};
  }
}
