/** Tables for a spreadsheet. Pure. */

/** Lines end as RFC 4180 says. */
export function csvText(rows: readonly (readonly (string | number | boolean | undefined)[])[]): string {
  return `${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** Texts are a model's or a server's: a spreadsheet must not take one for a formula. */
function cell(value: string | number | boolean | undefined): string {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
