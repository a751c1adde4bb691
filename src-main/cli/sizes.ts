/** Sizes for people, in decimal units as file managers show them. */
export function bytesInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [unit, size] =
    bytes < 1_000_000 ? ['kB', bytes / 1000] : bytes < 1e9 ? ['MB', bytes / 1e6] : ['GB', bytes / 1e9];
  return `${size.toFixed(size < 10 ? 1 : 0)} ${unit}`;
}
