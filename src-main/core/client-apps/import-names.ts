/** Names for servers that are brought over: what is taken gets a number. */

/** A name like `wanted` that is not among `taken`, whatever the case. */
export function freeName(wanted: string, taken: Iterable<string>): string {
  const used = new Set([...taken].map((name) => name.toLowerCase()));
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!used.has(name.toLowerCase())) return name;
  }
}
