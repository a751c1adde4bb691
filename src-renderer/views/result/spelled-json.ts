/** JSON with numbers that keep their digits, including those that a double cannot represent. Pure. */

/** A number that a double cannot represent, as text. */
export class SpelledNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Integers of 16 or more digits, and exponents beyond a double, which parsing would change. */
const lossyNumber = /(?<=[[:,\s])-?\d(?:\d{15,}|[\d.]*[eE][+-]?\d{3,})(?=[\],}\s]|$)/g;

/** Like JSON.parse, but numbers that a double cannot represent stay as written. */
export function parseSpelled(text: string): unknown {
  if (text.search(lossyNumber) < 0) return JSON.parse(text) as unknown;
  return JSON.parse(text, spelled);
}

/** Like JSON.stringify, with numbers as written if the browser supports it, else as strings. */
export function spellJson(value: unknown, indent?: number): string {
  const raw = (_key: string, one: unknown): unknown => {
    if (!(one instanceof SpelledNumber)) return one;
    return typeof JSON.rawJSON === 'function' ? JSON.rawJSON(one.text) : one.text;
  };
  return JSON.stringify(value, raw, indent) ?? 'null';
}

function spelled(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  // Browsers before 2025 provide no source text: the nearest double is shown.
  if (typeof value !== 'number' || source === undefined || !new RegExp(lossyNumber).test(` ${source} `)) return value;
  return new SpelledNumber(source);
}
