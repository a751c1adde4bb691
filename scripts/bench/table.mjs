/** Rows of values as a table for the terminal. */

/** `rows` are objects with the same keys; the first column is text, the others are put to the right. */
export function formatTable(rows) {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at].length)));
  const lines = cells.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  '),
  );
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '));
  return lines.join('\n');
}

/** A ratio against what it should be at most. */
export function verdict(ratio, most) {
  return `${ratio.toFixed(2)} (at most ${most}: ${ratio <= most ? 'met' : 'MISSED'})`;
}
