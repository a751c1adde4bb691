/**
 * npm packages for servers in a sandbox: fetched and installed once in a separate sandbox, with the network and without
 * the user's files, into a folder that the server then only reads. Unlike `npx`, this neither fetches at each start nor
 * shares a cache.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { withSqliteLock } from '../../../base/file-lock.ts';
import { defaultWorkingFolder } from '../../../base/working-folder.ts';
import { AppError, errorText } from '../../../base/errors.ts';
import { isObject } from '../../../base/json.ts';
import { isInside } from '../../../security/file-paths.ts';
import { noProtectedPaths } from '../../../security/protected-paths.ts';
import { npxPackage } from '../../../trust/pins/launch-fingerprint.ts';
import { isCommonVariable } from '../common-variables.ts';
import { type ResolvedEnv, findCommand } from '../find-command.ts';
import { type ProcessLaunch, startLaunch } from '../process-group.ts';
import { programSteps } from './program-files.ts';
import { anyHost, type EgressProxy } from './egress-proxy.ts';
import { wrapInBubblewrap } from './bubblewrap.ts';

/** In ms, long enough for a slow network and a large package. */
const installTimeoutMs = 180_000;
/** Maximum retained output of npm, from its end. */
const maxOutputBytes = 64 * 1024;

interface Npm {
  readonly npm: string;
  readonly env: ResolvedEnv;
}

interface Installed {
  readonly launch: ProcessLaunch;
  /** Folders that the server reads. */
  readonly folders: readonly string[];
}

type OpenProxy = (server: string) => Promise<EgressProxy>;

export class NpmPackages {
  readonly #folder: string;
  readonly #openProxy: OpenProxy | undefined;

  /** `openProxy`: if installations reach the network only through a proxy. */
  constructor(folder: string, openProxy?: OpenProxy) {
    this.#folder = folder;
    this.#openProxy = openProxy;
  }

  /**
   * Returns the launch of the installed package; undefined for a command that fetches none. `outside`: the user's
   * environment,
   * which sets the package source, because servers share installed packages. Rejects with AppError
   * `server_not_started`.
   */
  async install(server: string, launch: ProcessLaunch, outside: ResolvedEnv): Promise<Installed | undefined> {
    const wanted = npxPackage(launch.command, launch.args);
    if (wanted === undefined) return undefined;
    const { name, wanted: version = 'latest' } = wanted;
    const npm = await findCommand('npm', outside);
    if (npm === undefined) throw notInstalled(server, `${name}@${version}`, 'npm was not found.');
    const env = common(await npmSettings(npm, outside));
    const from = createHash('sha256')
      .update(env['npm_config_registry'] ?? '')
      .digest('hex')
      .slice(0, 8);
    // A package of the same name may differ in another registry.
    const folder = join(this.#folder, `${name}@${version}`.replace(/[^A-Za-z0-9._@-]/g, '+'), from);
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    // Servers or cores that use the same package wait for each other.
    await withSqliteLock(folder, async () => this.#fetch(server, `${name}@${version}`, folder, { npm, env }), {
      staleMs: installTimeoutMs + 10_000,
      waitMs: installTimeoutMs + 20_000,
    });
    const file = await programIn(folder, name, wanted.program);
    if (file === undefined) throw notInstalled(server, name, 'It contains no program with that name.');
    const node = (await findCommand('node', outside)) ?? process.execPath;
    return { launch: { ...launch, command: node, args: [file, ...wanted.args] }, folders: [folder] };
  }

  async #fetch(server: string, spec: string, folder: string, { npm, env }: Npm): Promise<void> {
    if (await isThere(folder)) return;
    const draft = `${folder}.draft`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true, mode: 0o700 });
    await writeFile(join(draft, 'package.json'), '{"private":true}');
    const args = ['install', '--prefix', draft, '--no-audit', '--no-fund', '--loglevel=error', spec];
    const proxy = await this.#openProxy?.(server);
    const isolate = {
      kind: 'sandbox',
      read: [],
      write: [draft],
      network: proxy === undefined || [anyHost],
      extraArgs: [],
    } as const;
    // A cache of its own for each installation, because a package could poison a shared one.
    const home = `${draft}.home`;
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { mode: 0o700 });
    const box = {
      home,
      hidden: noProtectedPaths,
      own: [],
      outside: env,
      program: await programSteps(npm, env),
      places: [{ path: draft, real: await realpath(draft), writable: true }],
      ...(proxy && { proxySocket: proxy.socket }),
    };
    try {
      const boxed = await wrapInBubblewrap({ command: npm, args, env, cwd: undefined }, {}, isolate, box);
      await runToEnd(boxed, installTimeoutMs);
    } catch (error) {
      throw notInstalled(server, spec, error instanceof AppError ? error.message : errorText(error));
    } finally {
      proxy?.close();
      await rm(home, { recursive: true, force: true });
    }
    await rename(draft, folder);
  }
}

/**
 * Install scripts of packages run with the network, so they receive neither the entry's variables nor the user's own.
 */
function common(env: ResolvedEnv): ResolvedEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => isCommonVariable(name, process.platform)));
}

/** npm's registry settings of the user, without tokens. */
async function npmSettings(npm: string, env: ResolvedEnv): Promise<ResolvedEnv> {
  // npm also reads the .npmrc of its working folder.
  const options = { env, cwd: defaultWorkingFolder(env), timeout: 20_000 };
  const { stdout } = await promisify(execFile)(npm, ['config', 'get', 'registry'], options).catch(() => ({
    stdout: '',
  }));
  const registry = stdout.trim();
  return { ...env, ...(/^https?:\/\/\S+$/.test(registry) && { npm_config_registry: registry }) };
}

async function isThere(folder: string): Promise<boolean> {
  return readFile(join(folder, 'package.json')).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the program of an installed package that npx would start: the named one, the only one, or the one with the
 * package's name. Undefined if the package has none; its manifest may name files outside of it.
 */
export async function programIn(folder: string, name: string, program?: string): Promise<string | undefined> {
  const own = join(folder, 'node_modules', name);
  const about: unknown = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'));
  const file = fileNamed(isObject(about) ? about['bin'] : undefined, name, program);
  if (file === undefined) return undefined;
  const [root, real] = await Promise.all([realpath(folder), realpath(join(own, file)).catch(() => undefined)]);
  return real !== undefined && isInside(root, real) ? join(own, file) : undefined;
}

function fileNamed(bin: unknown, name: string, program: string | undefined): string | undefined {
  if (typeof bin === 'string') return bin;
  if (!isObject(bin)) return undefined;
  const names = Object.keys(bin);
  const chosen = program ?? (names.length === 1 ? names[0] : names.find((one) => one === basename(name)));
  const file = chosen === undefined ? undefined : bin[chosen];
  return typeof file === 'string' ? file : undefined;
}

/** Rejects with the last output, or with AppError `server_not_started` after `limitMs`. */
async function runToEnd(launch: ProcessLaunch, limitMs: number): Promise<void> {
  const child = await startLaunch(launch);
  let said = '';
  child.stdin.end();
  child.stdout.resume();
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-maxOutputBytes)));
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  if (code !== 0) throw new AppError('server_not_started', reasonIn(said));
}

/** The first lines of npm's errors, which name the cause; advice and notices follow. */
function reasonIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('npm notice'));
  return lines.slice(0, 3).join(' ');
}

function notInstalled(server: string, spec: string, said: string): AppError {
  return new AppError(
    'server_not_started',
    `${server} did not start: ${spec} could not be installed for its sandbox. ${said}`.trim(),
    {
      fix: 'Check the name and the network. Tooltray retries automatically.',
    },
  );
}
