/** What `tooltray serve` prints: where it listens, what it serves, and the lines that connect client apps to it. */
import { join } from 'node:path';
import type { CoreHost } from '../host/core-host.ts';
import type { HostArguments } from './host-options.ts';

export function welcome(host: CoreHost, { askToken, mode }: HostArguments): string {
  const { http, socket, httpProblem } = host.doors;
  const { current, problems } = host.core.options.config;
  const header = askToken ? ` --header "Authorization: Bearer $(cat ${quote(host.paths.tokenFile)})"` : '';
  const shim = `${quote(process.execPath)} ${quote(cliFile())} stdio`;
  const names = current.servers.map((server) => server.name).join(', ') || 'none yet';
  return [
    `Tooltray listens at ${http} and ${socket}`,
    ...(httpProblem === '' ? [] : [`! ${httpProblem}`]),
    `Config     ${current.path}`,
    `Servers    ${names}`,
    `Mode       ${mode ?? current.mode}`,
    `Dashboard  ${host.pageUrl}`,
    '',
    'Connect a client app:',
    `  Claude Code    claude mcp add -s user tooltray -- ${shim} --app claude-code`,
    `  Cursor, others {"mcpServers":{"tooltray":${JSON.stringify({ command: process.execPath, args: [cliFile(), 'stdio', '--app', 'cursor'] })}}}`,
    `  Inspector      npx @modelcontextprotocol/inspector --cli ${http} --method tools/list${header}`,
    ...problems.map(
      (problem) => `! ${problem.file}:${problem.line}:${problem.column} ${problem.reason} ${problem.suggestion ?? ''}`,
    ),
    ...(askToken
      ? []
      : ['', '!! --no-token: every program and every user of this machine can call these tools. For tests only.']),
    '',
    '',
  ].join('\n');
}

/** Chunks lie one folder below the command's own file. */
function cliFile(): string {
  const folder = import.meta.dirname;
  return folder.endsWith('chunks') ? join(folder, '..', 'cli.js') : join(folder, 'cli.js');
}

function quote(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : JSON.stringify(text);
}
