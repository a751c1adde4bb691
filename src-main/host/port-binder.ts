/**
 * Binds the ports of the core's HTTP server. If the configured port is taken, the core continues without it, reports
 * which program uses it, and retries.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { type AppError, errorText, toAppError } from '../core/base/errors.ts';
import { Emitter } from '../core/base/emitter.ts';

export interface PortBinderOptions {
  /** Opens one more port, 0 for any free one. Resolves to its number; rejects with AppError `port_in_use`. */
  readonly open: (port: number) => Promise<number>;
  /** The configured port. */
  readonly wanted: () => number;
  /** Called when the configured port may have changed; returns an unsubscribe function. */
  readonly onWish: (listener: () => void) => () => void;
  /**
   * Whether to use any free port for this run if the configured one is taken, because users have no other way to open
   * the dashboard.
   */
  readonly hasSpare: boolean;
  /** The port was given for this run; no other is tried. */
  readonly isFixed: boolean;
  readonly onProblem: (sentence: string) => void;
  /** Retry interval in ms. */
  readonly retryMs?: number;
}

const defaultRetryMs = 30_000;

export class PortBinder {
  readonly changed = new Emitter();
  readonly #options: PortBinderOptions;
  /** Open ports, by configured port. A port told to users stays open until the end. */
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

  /** Why the configured port is not open, and the fix; empty if it is. */
  get problem(): string {
    return this.#problem;
  }

  /** Rejects with AppError `port_in_use` if the port was given for this run. */
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

  /** Attempts do not overlap. */
  #tryAgain(): void {
    this.#trying = this.#trying.then(async () => {
      const before = [this.#port, this.#problem].join();
      const failure = await this.#take();
      if (failure !== undefined) await this.#goOnWithout(failure);
      if ([this.#port, this.#problem].join() !== before) this.changed.emit();
    });
  }

  /** Resolves to the problem, if any. */
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
    // Without any free port, the socket remains.
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

// Timeout for identifying the program that uses a port, in ms.

const probeTimeoutMs = 1000;

interface Holder {
  readonly pid: number;
  readonly program: string;
}

/** `node (process 812)`, `another Tooltray`; undefined if unknown. Never rejects. */
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

/** Tooltray refuses requests without a token with a recognizable response. */
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

/** Finds the listening socket's inode, then the process that has it open; other users' processes are not visible. */
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
