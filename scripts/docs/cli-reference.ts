/**
 * docs/reference/cli.md: every command with its usage, actions and flags, from the table that the command line runs.
 */
import { type Command, helpOf, flagName } from '../../src-main/cli/command.ts';
import { commands } from '../../src-main/cli/command-table.ts';
import { code, table, wrap } from './markdown.ts';

export async function cliReference(): Promise<string> {
  const shown = commands.filter(({ isHidden }) => !isHidden);
  const overview = shown.map(({ name, about }) => [`[\`${name}\`](#${name})`, sentence(about)]);
  const sections = await Promise.all(shown.map(async ({ name, about, load }) => section(name, about, await load())));
  return `# Command-line reference

From a clone, run \`./tooltray\`; after \`npm link\`, run \`tooltray\`. Exit codes: 0 success, 1 failure, 2 wrong usage.

Commands accept \`--help\`. The flags of ToolMux also work: \`--list-servers\`, \`--build-cache\`, \`--manage\`, \`--mode\`, and
\`--config\`.

${table(['command', 'purpose'], overview)}

${sections.join('\n\n')}
`;
}

function section(name: string, about: string, declared: Command): string {
  const { actions = {}, flags, notes = [] } = declared;
  const [usage = ''] = helpOf(name, about, declared).split('\n', 1);
  const actionRows = Object.entries(actions).map(([action, { words = '', help }]) => [
    code(`${action} ${words}`.trim()),
    help,
  ]);
  const flagRows = Object.entries(flags).map(([flag, { value = '', help, usual }]) => [
    code(`--${flagName(flag)} ${value}`.trim()),
    usual === undefined ? help : `${help} (default: ${usual})`,
  ]);
  const parts = [
    `## \`${name}\``,
    wrap(sentence(about)),
    `\`\`\`text\n${broken(usage.replace('Usage: ', ''))}\n\`\`\``,
    actionRows.length === 0 ? '' : table(['action', 'effect'], actionRows),
    flagRows.length === 0 ? '' : table(['flag', 'meaning'], flagRows),
    notes.length === 0 ? '' : `\`\`\`text\n${notes.join('\n')}\n\`\`\``,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** A usage line, wrapped between its flags. */
function broken(usage: string): string {
  const lines: string[] = [];
  for (const part of usage.split(/ (?=\[--|\| )/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length < 110) lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(last === undefined ? part : `  ${part}`);
  }
  return lines.join('\n');
}

function sentence(about: string): string {
  return `${about[0]?.toUpperCase()}${about.slice(1)}.`;
}
