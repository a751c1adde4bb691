/** The names of the programs that run now, as far as the system tells: enough to say that an app is open. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const patienceMs = 5000;

/** Lower case, without `.exe`. Empty where the system does not tell: that an app runs is a hint, never a condition. */
export async function runningProcesses(platform: NodeJS.Platform = process.platform): Promise<ReadonlySet<string>> {
  try {
    if (platform === 'linux') return await fromProc();
    if (platform === 'win32') return namesIn(await output('tasklist', ['/fo', 'csv', '/nh']), /^"([^"]+)"/);
    return namesIn(await output('ps', ['-axo', 'comm=']), /^(.+)$/);
  } catch {
    return new Set();
  }
}

/** Also what an interpreter runs: many apps of the command line are scripts. */
async function fromProc(): Promise<ReadonlySet<string>> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return new Set(lines.flatMap((line) => line.split('\0').slice(0, 2).map(programName)).filter((name) => name !== ''));
}

function namesIn(text: string, line: RegExp): ReadonlySet<string> {
  const names = text.split(/\r?\n/).map((one) => programName(line.exec(one.trim())?.[1] ?? ''));
  return new Set(names.filter((name) => name !== ''));
}

function programName(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  return name.toLowerCase().replace(/\.(?:exe|m?js)$/, '');
}

async function output(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    timeout: patienceMs,
    maxBuffer: 16 * 1024 * 1024,
    windowsHide: true,
  });
  return stdout;
}
