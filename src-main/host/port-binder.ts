/**
 * Binds the ports of the core's HTTP server. If the wanted port is taken, the core continues without it, reports which
 * program has it, and retries.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { type AppError, errorText, toAppError } from '../core/base/errors.ts';
import { Emitter } from '../core/base/emitter.ts';

export interface PortBinderOptions {
  /** Opens one more port, 0 for any free one. Resolves to it; rejects with AppError `port_in_use`. */
  readonly open: (port: number) => Promise<number>;
  /** The port that the user wants now. */
  readonly wanted: () => number;
  /** Tells when another one may be wanted; returns how to stop. */
  readonly onWish: (listener: () => void) => () => void;
  /**
   * Whether to use any free port for this run if the configured one is taken: users have no other way to the dashboard.
   */
  readonly hasSpare: boolean;
  /** The wanted one was named for this run: it is that or none. */
  readonly isFixed: boolean;
  readonly onProblem: (sentence: string) => void;
  /** Between two tries, in ms. */
  readonly retryMs?: number;
}

const defaultRetryMs = 30_000;

export class PortBinder {
  readonly changed = new Emitter();
  readonly #options: PortBinderOptions;
  /** Ports that are open, by what was wanted. What was told to users stays open to the end. */
  readonly #open = new Map<number, number>();
  #port: number | undefined;
  #problem = '';
  #trying: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #leave: () => void = () => undefined;

  constructor(options: PortBinderOptions) {
    this.#options = options;
  }

  /** Port that users and client apps can reach; undefined if none. */
  get port(): number | undefined {
    return this.#port;
  }

  /** Why the wanted port is not open, and what to do; empty if it is. */
  get problem(): string {
    return this.#problem;
  }

  /** Rejects with AppError `port_in_use` where the port was named for this run. */
  async start(): Promise<void> {
    const { isFixed, onWish } = this.#options;
    const failure = await this.#take();
    if (isFixed && failure !== undefined) throw failure;
    if (failure !== undefined) await this.#goOnWithout(failure);
    this.#leave = onWish(() => this.#tryAgain());
  }

  async stop(): Promise<void> {
    this.#leave();
    clearTimeout(this.#timer);
    await this.#trying;
    clearTimeout(this.#timer);
  }

  /** One try at a time. */
  #tryAgain(): void {
    this.#trying = this.#trying.then(async () => {
      const before = [this.#port, this.#problem].join();
      const failure = await this.#take();
      if (failure !== undefined) await this.#goOnWithout(failure);
      if ([this.#port, this.#problem].join() !== before) this.changed.emit();
    });
  }

  /** Resolves to why it could not. */
  async #take(): Promise<AppError | undefined> {
    const { open, wanted: wish } = this.#options;
    clearTimeout(this.#timer);
    const wanted = wish();
    try {
      const port = this.#open.get(wanted) ?? (await open(wanted));
      this.#open.set(wanted, port);
      this.#port = port;
      this.#problem = '';
      return undefined;
    } catch (error) {
      return toAppError(error);
    }
  }

  async #goOnWithout(failure: AppError): Promise<void> {
    const { open, wanted, hasSpare, onProblem, retryMs = defaultRetryMs } = this.#options;
    // A machine without a free port has the socket left.
    if (hasSpare) this.#port ??= await open(0).catch(() => undefined);
    const before = this.#problem;
    this.#problem = await this.#problemOf(wanted(), failure);
    if (this.#problem !== before) onProblem(this.#problem);
    this.#timer = setTimeout(() => this.#tryAgain(), retryMs).unref();
  }

  async #problemOf(wanted: number, { cause }: AppError): Promise<string> {
    const isTaken = (cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
    const holder = isTaken ? await portHolder(wanted) : undefined;
    // The program may just have released the port; the next attempt will show.
    if (isTaken && holder === undefined && this.#problem.startsWith(`Port ${wanted} is in use`)) return this.#problem;
    const what = isTaken ? `is in use by ${holder ?? 'another program'}` : `is not available (${errorText(cause)})`;
    const meaning =
      this.#port === undefined
        ? 'client apps cannot reach Tooltray over HTTP'
        : `Tooltray is listening on port ${this.#port} instead`;
    return `Port ${wanted} ${what}: ${meaning}. Set another port in the configuration file, or free this one.`;
  }
}

// Timeout for finding out which program listens on a port, which the user needs to know to free it; in ms.

const probeTimeoutMs = 1000;

interface Holder {
  readonly pid: number;
  readonly program: string;
}

/** `node (process 812)`, `another Tooltray`; undefined if nobody tells. Never rejects. */
export async function portHolder(
  port: number,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  const [isTooltray, holder] = await Promise.all([
    refusesLikeTooltray(port),
    findHolder(port, platform).catch(() => undefined),
  ]);
  const name = isTooltray ? 'another Tooltray' : holder?.program;
  return holder === undefined ? name : `${name} (process ${holder.pid})`;
}

/** It lets nobody in without a token, and says whose token that is. */
function refusesLikeTooltray(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(probeTimeoutMs);
    const probe = request(
      { host: '127.0.0.1', port, path: '/mcp', method: 'GET', signal, agent: false },
      (response) => {
        resolve(String(response.headers['www-authenticate']).includes('realm="tooltray"'));
        response.destroy();
      },
    );
    probe.on('error', () => resolve(false)).end();
  });
}

async function findHolder(port: number, platform: NodeJS.Platform): Promise<Holder | undefined> {
  if (platform === 'linux') return fromProc(port);
  if (platform === 'darwin') return fromLsof(port);
  return undefined;
}

/** The listening socket's inode, then the process that has it open; those of other users are not shown. */
async function fromProc(port: number): Promise<Holder | undefined> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const inode = tables.map((table) => listeningInode(table, port)).find((found) => found !== undefined);
  if (inode === undefined) return undefined;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (!(await hasOpen(pid, `socket:[${inode}]`))) continue;
    const [command = ''] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    return { pid: Number(pid), program: command.split('/').at(-1) ?? '' };
  }
  return undefined;
}

function listeningInode(table: string, port: number): string | undefined {
  const place = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const listening = '0A';
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  return rows.find(([, local = '', , state]) => local.endsWith(place) && state === listening)?.[9];
}

async function hasOpen(pid: string, file: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const handles = await readdir(folder).catch(() => []);
  const files = await Promise.all(handles.map((handle) => readlink(`${folder}/${handle}`).catch(() => '')));
  return files.includes(file);
}

async function fromLsof(port: number): Promise<Holder | undefined> {
  const words = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
  const { stdout } = await promisify(execFile)('lsof', words, { timeout: probeTimeoutMs });
  const [, pid, program] = /^p(\d+)\nc(.+)$/m.exec(stdout) ?? [];
  return pid === undefined || program === undefined ? undefined : { pid: Number(pid), program };
}
