/**
 * Splits shell lines into words without running, expanding or looking up anything; reports what only a shell could do.
 */
import { splitCommand } from '../config/dialects/split-command.ts';
import { unrecognizedInputError, quoteWord } from './pasted-server.ts';

export const assignment = /^([A-Za-z_]\w*)=(.*)$/s;

/** Prompts of shells, and marks of lists. */
const prompt = /^(?:(?:[$>%]|PS [^>]*>|[A-Z]:[^>\s]*>|\S+@\S+[$#]|\d+[.)]|[-*•])\s+)+/;

/** The commands of a text, one per line: without prompts and comments, with continued lines joined. */
export function splitCommands(text: string): readonly string[] {
  const lines = text
    .replace(/[“”]/g, '"')
    .replace(/[‘’]/g, "'")
    // Line continuations of sh, PowerShell and cmd.
    .replace(/[ \t][\\`^][ \t]*\r?\n\s*|\\\r?\n\s*/g, ' ')
    .split(/\r?\n/);
  const commands: string[] = [];
  let open: string | undefined;
  for (const line of lines) {
    // Without a prompt, and marks of code, quotations or links around it.
    const plain = line.trim().replace(prompt, '');
    const whole: string =
      open === undefined ? plain.replace(/^(?:`([^`]+)`|"([^"\s]+)"|<([^<>\s]+)>)$/, '$1$2$3') : `${open}\n${line}`;
    open = undefined;
    if (whole === '' || whole.startsWith('#') || whole.startsWith('```')) continue;
    if (isOpen(whole)) open = whole;
    else commands.push(whole);
  }
  return open === undefined ? commands : [...commands, open];
}

/** Throws AppError `bad_request` for a word that only a shell understands. */
export function splitShellWords(line: string): readonly string[] {
  if (isOpen(line))
    throw unrecognizedInputError(`A quotation mark is not closed: ${quoteWord(line)}.`, 'Copy the full text.');
  const outside = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|\\./gs, (part) => 'x'.repeat(part.length));
  const operator = /(?:^|\s)(\|\|?|&|>>?|<|\d>\S*)(?=\s|$)|(&&)|(;)(?=\s|$)/.exec(outside);
  if (operator !== null) throw forShells(operator[1] ?? operator[2] ?? operator[3] ?? '');
  const substitution = /`|\$\(/.exec(line.replace(/'[^']*'/gs, ''));
  if (substitution !== null) throw forShells(substitution[0] === '`' ? '`' : '$( )');
  const comment = outside.search(/\s#/);
  return splitCommand(comment === -1 ? line : line.slice(0, comment));
}

function isOpen(line: string): boolean {
  return /["']/.test(line.replace(/\\.|"(?:[^"\\]|\\.)*"|'[^']*'/gs, ''));
}

function forShells(sign: string): Error {
  return unrecognizedInputError(
    `${quoteWord(sign)} requires a shell, but Tooltray does not run commands in a shell.`,
    'Paste only the line that starts or adds the server.',
  );
}

/** `$NAME` in our own notation; everything else unchanged. */
export function withVariables(value: string): string {
  return value.replace(/\$(?:\{([A-Z_][A-Z0-9_]*)\}|([A-Z_][A-Z0-9_]*)\b)/g, (_, braced?: string, bare?: string) => {
    return `\${env:${braced ?? bare}}`;
  });
}
