/** JSON whose numbers keep their digits, also those that a double cannot hold. Pure. */

/** A number that a double cannot hold, as it is spelled. */
export class SpelledNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Integers of 16 digits and more, and exponents beyond a double: what parsing would change. */
const lossyNumber = /(?<=[[:,\s])-?\d(?:\d{15,}|[\d.]*[eE][+-]?\d{3,})(?=[\],}\s]|$)/g;

/** As JSON.parse, but numbers that a double cannot hold stay as they are spelled. */
export function parseSpelled(text: string): unknown {
  if (text.search(lossyNumber) < 0) return JSON.parse(text) as unknown;
  return JSON.parse(text, spelled);
}

/** As JSON.stringify, with numbers as they were spelled where the browser can write them so, else as text. */
export function spellJson(value: unknown, indent?: number): string {
  const raw = (_key: string, one: unknown): unknown => {
    if (!(one instanceof SpelledNumber)) return one;
    return typeof JSON.rawJSON === 'function' ? JSON.rawJSON(one.text) : one.text;
  };
  return JSON.stringify(value, raw, indent) ?? 'null';
}

function spelled(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  // Browsers before 2025 give no source: there the number is shown as near as a double comes.
  if (typeof value !== 'number' || source === undefined || !new RegExp(lossyNumber).test(` ${source} `)) return value;
  return new SpelledNumber(source);
}
