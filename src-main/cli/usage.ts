/** The help text, made from the commands. */
import { commands } from './commands.ts';

export function usage(): string {
  const lines = commands.map(({ name, form, about }) => `  tooltray ${`${name} ${form}`.padEnd(64)} ${about}`);
  return `Usage:\n${lines.join('\n')}\n`;
}
