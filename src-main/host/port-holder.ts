/** Who listens on a port of this machine, as far as anybody tells: what a person needs to know to make it free. */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { request } from 'node:http';
import { promisify } from 'node:util';

const patienceMs = 1000;

interface Holder {
  readonly pid: number;
  readonly program: string;
}

/** `node (process 812)`, `another Tooltray`; undefined where nobody tells. Never rejects. */
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
    const signal = AbortSignal.timeout(patienceMs);
    const asked = request(
      { host: '127.0.0.1', port, path: '/mcp', method: 'GET', signal, agent: false },
      (response) => {
        resolve(String(response.headers['www-authenticate']).includes('realm="tooltray"'));
        response.destroy();
      },
    );
    asked.on('error', () => resolve(false)).end();
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
  const { stdout } = await promisify(execFile)('lsof', words, { timeout: patienceMs });
  const [, pid, program] = /^p(\d+)\nc(.+)$/m.exec(stdout) ?? [];
  return pid === undefined || program === undefined ? undefined : { pid: Number(pid), program };
}
