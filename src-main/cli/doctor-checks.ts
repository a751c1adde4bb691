/** What `doctor` looks at besides the servers: Node.js, PATH, the rights of our files, the config file. */
import { lstat, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute } from 'node:path';
import { describeEdits } from '../core/admin/server-change.ts';
import { nameOfWaiting } from '../core/config/accepted-config.ts';
import type { ConfigStore } from '../core/config/config-store.ts';
import { secretsOf } from '../core/config/secrets-of.ts';
import { count } from './count.ts';
import type { Finding } from './finding.ts';
import { cliPaths } from './open-cli-config.ts';

export function nodeFinding(): Finding {
  return { level: 'ok', topic: 'node', text: `Node.js ${process.versions.node} at ${process.execPath}.` };
}

/** What keeps commands from being found, or lets the wrong ones be. */
export function pathFindings(): Finding[] {
  const problem = (text: string): Finding[] => [{ level: 'problem', topic: 'node', text }];
  const folders = (process.env['PATH'] ?? process.env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  if (folders.length === 0)
    return problem('PATH is empty, so no command can be found. Start Tooltray from a login shell, or set PATH.');
  const relative = folders.filter((folder) => !isAbsolute(folder) && !folder.startsWith('~'));
  if (relative.length === 0) return [];
  return problem(
    `PATH holds ${relative.join(', ')}, which means another folder wherever Tooltray is started. Write whole paths in PATH.`,
  );
}

/** Who else could read our token, talk to our socket, or read secrets in the config. Windows keeps these by access lists. */
export async function fileFindings({ path, current }: ConfigStore): Promise<Finding[]> {
  if (process.platform === 'win32') return [];
  const { runDir, socketPath, tokenFile } = cliPaths();
  const files = [...new Set([runDir, dirname(socketPath), tokenFile, socketPath])];
  const found = (await Promise.all(files.map(privacyProblem))).flat();
  const config = await stat(path).catch(() => undefined);
  if (config !== undefined && (config.mode & 0o044) !== 0 && secretsOf(current).length > 0) {
    found.push({
      level: 'note',
      topic: 'files',
      text: `${path} holds secrets, and other users of this machine can read it. Run: chmod 600 ${path}`,
    });
  }
  const isFine = !found.some(({ level }) => level === 'problem');
  return isFine
    ? [{ level: 'ok', topic: 'files', text: `Token and socket in ${runDir} are yours alone.` }, ...found]
    : found;
}

async function privacyProblem(path: string): Promise<Finding[]> {
  const stats = await lstat(path).catch(() => undefined);
  // Not there yet: it is made, private, when Tooltray runs.
  if (stats === undefined) return [];
  const problem = (text: string): Finding[] => [{ level: 'problem', topic: 'files', text }];
  if (stats.isSymbolicLink()) return problem(`${path} is a link. Remove it; Tooltray makes its own at the next start.`);
  if (stats.uid !== process.getuid?.())
    return problem(`${path} belongs to another user. Remove it, or set TOOLTRAY_HOME to a folder of your own.`);
  const open = (stats.mode & 0o077) !== 0;
  return open
    ? problem(
        `${path} can be reached by other users of this machine. Run: chmod ${stats.isDirectory() ? '700' : '600'} ${path}`,
      )
    : [];
}

/** Whether commands are there is told with the servers, which are tried. */
export function configFindings({ path, problems, current, waiting }: ConfigStore): Finding[] {
  const found = problems.map(({ severity, line, column, path: place, reason, suggestion = '' }): Finding => {
    const what = `${path}:${line}:${column} ${place === '' ? '' : `${place}: `}${reason} ${suggestion}`.trim();
    return { level: severity === 'error' ? 'problem' : 'note', topic: 'config', text: what };
  });
  if (waiting.length > 0) {
    const text = `${describeEdits(waiting)} Look at it with tooltray proposals, then: tooltray approve ${nameOfWaiting(waiting)}`;
    found.push({ level: 'problem', topic: 'config', text });
  }
  if (found.length > 0) return found;
  return [
    { level: 'ok', topic: 'config', text: `${path} is in order, with ${count(current.servers.length, 'server')}.` },
  ];
}
