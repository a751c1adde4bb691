/** Splits a command line into words like a POSIX shell, with quotes and backslashes, without expansion. */

const word = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g;
const part = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^"'\\]+)/g;

/** The words; text that is not closed properly stays one word. Backslashes of a Windows path are no quoting. */
export function splitCommand(written: string): string[] {
  const line = /(?:^|[\s"'=])[A-Za-z]:\\/.test(written) ? written.replace(/\\(?!")/g, '\\\\') : written;
  if (line.trim() === '') return [];
  return (line.match(word) ?? [line]).map((text) =>
    text.replace(part, (_, double?: string, single?: string, escaped?: string, plain?: string) => {
      return double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? plain ?? '';
    }),
  );
}
