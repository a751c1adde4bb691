/** Results of a SQL statement as a table, and completion of a statement. Pure. */
import type { RpcMethods } from '../../../../src-main/rpc/contract.ts';
import { columnOf, type TableRows } from '../rows/find-rows.ts';

export type SqlAnswer = RpcMethods['spillSql']['output'] & { readonly tookMs: number };

const keywords = [
  ...['SELECT', 'FROM rows', 'WHERE', 'GROUP BY', 'ORDER BY', 'HAVING', 'LIMIT', 'DISTINCT', 'COUNT(*)', 'SUM('],
  ...[
    'AVG(',
    'MIN(',
    'MAX(',
    'LIKE',
    'BETWEEN',
    'IS NULL',
    'IS NOT NULL',
    'DESC',
    'AND',
    'OR',
    'CASE WHEN',
    'json_extract(',
  ],
] as const;

/** Columns of the same name are distinguished by a number. */
export function resultTable({ columns, rows }: Pick<SqlAnswer, 'columns' | 'rows'>): TableRows {
  const seen = new Map<string, number>();
  const names = columns.map((column) => {
    const times = (seen.get(column) ?? 0) + 1;
    seen.set(column, times);
    return times === 1 ? column : `${column} ${times}`;
  });
  const records = rows.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at]])));
  return {
    name: 'the result',
    path: [],
    rows: records,
    columns: names.map((name) => columnOf(name, records)),
  };
}

/** Completes the word before the caret if it is unambiguous, columns first. undefined: nothing to complete. */
export function completed(
  text: string,
  at: number,
  columns: readonly string[],
): { readonly text: string; readonly at: number } | undefined {
  const [word = ''] = /[\w]+$/.exec(text.slice(0, at)) ?? [];
  if (word === '') return undefined;
  const begins = (one: string): boolean => one.length > word.length && one.toLowerCase().startsWith(word.toLowerCase());
  const ofColumns = columns.filter(begins);
  const [first, ...others] = ofColumns.length > 0 ? ofColumns : keywords.filter(begins);
  if (first === undefined) return undefined;
  const common = commonStart([first, ...others]);
  if (common.length <= word.length) return undefined;
  const start = at - word.length;
  return { text: text.slice(0, start) + common + text.slice(at), at: start + common.length };
}

function commonStart(words: readonly string[]): string {
  const [first = ''] = words;
  let length = first.length;
  for (const word of words) {
    while (!word.toLowerCase().startsWith(first.slice(0, length).toLowerCase())) length--;
  }
  return first.slice(0, length);
}

/** Whether a statement selects rows unchanged, so that each result row is a row of the table. */
export function isSelection(statement: string): boolean {
  return (
    /^\s*select\b/i.test(statement) &&
    /\bfrom\s+rows\b/i.test(statement) &&
    !/\b(?:group\s+by|distinct|union|intersect|except|join|with|count|sum|avg|min|max|total|group_concat|over)\b/i.test(
      statement,
    )
  );
}

/** The statement that returns the numbers of the rows that another one selects; valid only if `isSelection`. */
export function numbersOf(statement: string): string {
  return statement.replace(/^\s*select\b[^]*?\bfrom\s+rows\b/i, 'SELECT rowid FROM rows').replace(/;\s*$/, '');
}
