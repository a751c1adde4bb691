/** Parses CSV, TSV, or NDJSON. Pure. */
import { parseSpelled } from '../spelled-json.ts';

/** According to RFC 4180; the first line contains the column names, and numeric columns contain numbers. */
export function parseDelimited(text: string, separator: ',' | '\t'): readonly Record<string, unknown>[] {
  const [head = [], ...lines] = cellsOf(text, separator);
  const names = head.map((name, at) => (name.trim() === '' ? `column ${at + 1}` : name.trim()));
  const full = lines.filter((cells) => cells.length > 1 || cells[0] !== '');
  const isNumeric = names.map((_, at) => full.every((cells) => isNumber(cells[at] ?? '')));
  return full.map((cells) =>
    Object.fromEntries(
      names.map((name, at) => {
        const cell = cells[at] ?? '';
        return [name, cell === '' ? null : isNumeric[at] === true ? Number(cell) : cell];
      }),
    ),
  );
}

/** One value per line; invalid JSON stays text. */
export function parseLines(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      try {
        return parseSpelled(line);
      } catch {
        return line;
      }
    });
}

/** Empty cells are ignored; numbers that a double cannot represent stay text. */
function isNumber(cell: string): boolean {
  return cell === '' || (/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?$/.test(cell) && cell.length < 17);
}

function cellsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell: string;
    if (text[at] === '"') {
      let end = at + 1;
      for (;;) {
        end = text.indexOf('"', end);
        if (end === -1) end = text.length;
        else if (text[end + 1] === '"') {
          end += 2;
          continue;
        }
        break;
      }
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else {
      let end = at;
      while (end < text.length && text[end] !== separator && text[end] !== '\n') end++;
      cell = text.slice(at, end).replace(/\r$/, '');
      at = end;
    }
    row.push(cell);
    if (text[at] === '\r') at++;
    if (text[at] === separator) {
      at++;
      // A separator at the end of the text starts one more cell.
      if (at >= text.length) row.push('');
      continue;
    }
    rows.push(row);
    row = [];
    at++;
  }
  if (row.length > 0) rows.push(row);
  return rows;
}
