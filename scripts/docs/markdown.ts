/** Generates Markdown: tables, and paragraphs wrapped at 120 characters. */

const maxLine = 120;

/** A table of cells; a pipe in a cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Wraps `text` at 120 characters. Further lines of a list item are indented. */
export function wrap(text: string): string {
  const indent = /^(?:[-*] |\d+\. )/.exec(text)?.[0].length ?? 0;
  const lines: string[] = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) as string;
    const prefix = lines.length === 1 ? '' : ' '.repeat(indent);
    if (last === '') lines[lines.length - 1] = prefix + word;
    else if (last.length + 1 + word.length <= maxLine) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(' '.repeat(indent) + word);
  }
  return lines.join('\n');
}

/** `text` as inline code; empty if there is none. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}
