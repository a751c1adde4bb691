/** Makes the transports of all servers, each with the log of its stderr, which outlives restarts. */
import { join } from 'node:path';
import type { Env } from '../../base/app-paths.ts';
import { AppError } from '../../base/errors.ts';
import type { ServerConfig } from '../../config/app-config.ts';
import type { LineBudgets } from '../../wire/byte-budget.ts';
import type { Transport } from '../../wire/transport.ts';
import type { ProcessRegistry } from '../launch/process-registry.ts';
import type { EnvironmentResolver } from '../launch/resolve-environment.ts';
import type { OwnPlaces } from '../../security/own-places.ts';
import type { SignIns } from '../sign-in/sign-ins.ts';
import { createTransport } from './create-transport.ts';
import { RotatingFile } from './rotating-file.ts';
import { StderrLog } from './stderr-log.ts';

export interface TransportFactoryOptions {
  readonly env: Env;
  readonly registry: ProcessRegistry;
  readonly environment: EnvironmentResolver;
  /** Folder of the servers' stderr logs. */
  readonly logDir: string;
  readonly mask: (text: string) => string;
  /** What no built-in server touches. */
  readonly own?: OwnPlaces | undefined;
  /** What all lines together may have of the memory. */
  readonly budgets?: LineBudgets | undefined;
  /** Without it nobody is signed in to servers over HTTP. */
  readonly signIns?: SignIns | undefined;
}

export class TransportFactory {
  readonly #options: TransportFactoryOptions;
  readonly #stderr = new Map<string, StderrLog>();

  constructor(options: TransportFactoryOptions) {
    this.#options = options;
  }

  /** Throws AppError config_invalid where its entry cannot be used as it stands. */
  create(config: ServerConfig): Transport {
    if (config.cannotStart !== undefined) throw new AppError('config_invalid', config.cannotStart);
    return createTransport(config, {
      ...this.#options,
      stderr: this.#stderrOf(config.name),
      connectBuiltin: async ({ builtin, folders }) => {
        const { own } = this.#options;
        const { connectBuiltin } = await import('../builtin/connect-builtin.ts');
        return connectBuiltin(builtin, { folders, ...(own !== undefined && { own }) });
      },
    });
  }

  /** The last lines a server said on stderr, oldest first. */
  lastLines(server: string): readonly string[] {
    return this.#stderr.get(server)?.lines() ?? [];
  }

  /** Where its stderr is written, absolute. */
  logFile(server: string): string {
    return serverLogFile(this.#options.logDir, server);
  }

  /** Writes out and closes the logs. */
  async close(): Promise<void> {
    await Promise.all([...this.#stderr.values()].map((log) => log.close()));
  }

  #stderrOf(server: string): StderrLog {
    const known = this.#stderr.get(server);
    if (known !== undefined) return known;
    const log = new StderrLog({ file: new RotatingFile(this.logFile(server)), mask: this.#options.mask });
    this.#stderr.set(server, log);
    return log;
  }
}

/** Where a server's stderr is written, below the folder of such logs. */
export function serverLogFile(folder: string, server: string): string {
  return join(folder, `${server.replace(/[^A-Za-z0-9._-]/g, '_')}.log`);
}
