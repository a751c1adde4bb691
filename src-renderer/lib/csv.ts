/** CSV export. Pure. */

/** Line endings as in RFC 4180. */
export function csvText(rows: readonly (readonly (string | number | boolean | undefined)[])[]): string {
  return `${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** Text may come from a model or a server: spreadsheets must not interpret it as a formula. */
function cell(value: string | number | boolean | undefined): string {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
