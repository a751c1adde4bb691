/** The help texts, made from the commands. */
import type { Command } from './command.ts';
import { commands } from './commands.ts';

const groups = ['Run', 'Client apps', 'Servers', 'Tools', 'Look after it'] as const;

/** The overview. */
export function usage(): string {
  const parts = groups.map((group) => {
    const lines = commands
      .filter((command) => command.group === group)
      .map(({ name, about }) => `  ${name.padEnd(12)} ${about}`);
    return `${group}:\n${lines.join('\n')}\n`;
  });
  return [
    'Tooltray puts all of your MCP servers behind one connection.\n',
    'Usage: tooltray COMMAND [arguments]\n',
    ...parts,
    'tooltray COMMAND --help tells more, tooltray --version the version. Exit codes: 0 done, 1 failed, 2 wrong use.\n',
    'As with ToolMux: --list-servers, --build-cache, --manage [list|add|remove|validate|test], --mode M, --config F.\n',
  ].join('\n');
}

/** The help of one command. */
export function commandUsage({ name, form, about, details = [] }: Command): string {
  const lines = details.map((line) => (line.startsWith('--') ? `  ${line}` : line));
  const sentence = `${about[0]?.toUpperCase()}${about.slice(1)}.`;
  return `${[`Usage: tooltray ${name} ${form}`, '', sentence, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n')}\n`;
}
