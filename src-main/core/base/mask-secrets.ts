/** Masks secrets in texts and objects meant for people, logs and models: by name, by shape, and by value. */
import { mask } from './mask-mark.ts';
import { isPlaceholder, maskText } from './mask-text.ts';
import { isSecretName } from './secret-names.ts';

export { maskText } from './mask-text.ts';

/** Shorter values are not searched for everywhere: masking each `test` or `1234` would make texts unreadable. */
const shortestLiteral = 6;

const deepest = 20;

/** A copy that can be written as JSON, its secrets masked: errors with their causes, cycles, maps and buffers included. */
export function maskObject(value: unknown): unknown {
  return new Masker().maskObject(value);
}

/** Masks as maskText and maskObject do, and besides that every secret value it was told of, wherever it stands. */
export class Masker {
  #literals: string[] = [];

  constructor(secrets: Iterable<string> = []) {
    this.setSecrets(secrets);
  }

  /** Replaces the known secrets, also in their JSON and URL spellings; those under 6 characters are left out. */
  setSecrets(secrets: Iterable<string>): void {
    const spellings = new Set<string>();
    for (const secret of secrets) {
      for (const part of [secret, secret.replace(/^(?:Bearer|Basic|Token)\s+/i, '')]) {
        for (const spelling of [part, JSON.stringify(part).slice(1, -1), encodeUrl(part)]) {
          if (spelling.trim().length >= shortestLiteral) spellings.add(spelling);
        }
      }
    }
    // The longest first: a secret that contains another must not leave its other half behind.
    this.#literals = [...spellings].sort((a, b) => b.length - a.length);
  }

  /** Another one that knows what this one knows now, whatever this one is told later. Costs next to nothing. */
  snapshot(): Masker {
    const copy = new Masker();
    copy.#literals = this.#literals;
    return copy;
  }

  maskText(text: string): string {
    return maskText(this.#maskLiterals(text));
  }

  maskObject(value: unknown): unknown {
    return this.#copy(value, undefined, []);
  }

  #maskLiterals(text: string): string {
    return this.#literals.reduce((masked, literal) => masked.replaceAll(literal, mask), text);
  }

  /** `name` is the secret name this value stands under, however deep; `above` are the objects it is in. */
  #copy(value: unknown, name: string | undefined, above: readonly object[]): unknown {
    if (typeof value === 'string') return this.#maskValue(value, name);
    if (typeof value === 'number' || typeof value === 'bigint') {
      return name === undefined || isPlaceholder(name, String(value)) ? jsonNumber(value) : mask;
    }
    if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
    if (typeof value !== 'object' || value === null) return value;
    if (JSON.isRawJSON(value)) return name === undefined ? value : mask;
    if (above.includes(value)) return '[circular]';
    if (above.length >= deepest) return '[too deep]';
    return this.#copyObject(value, name, [...above, value]);
  }

  #copyObject(value: object, name: string | undefined, above: readonly object[]): unknown {
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof Date || value instanceof URL) return this.#copy(String(value), name, above);
    if (value instanceof Set) return this.#copyList([...(value as Set<unknown>)], name, above);
    if (Array.isArray(value)) return this.#copyList(value, name, above);
    const entries = value instanceof Map ? [...(value as Map<unknown, unknown>)] : ownEntries(value);
    const pairName = nameOfPair(entries);
    // fromEntries defines each key, so that `__proto__` stays an ordinary one.
    return Object.fromEntries(
      entries.map(([key, item]) => {
        const keyText = String(key);
        const itemName = pairName === undefined ? keyText : keyText === 'value' ? pairName : '';
        return [this.maskText(keyText), this.#copy(item, isSecretName(itemName) ? itemName : name, above)];
      }),
    );
  }

  #copyList(items: readonly unknown[], name: string | undefined, above: readonly object[]): unknown[] {
    return items.map((item, index) => {
      const before = items[index - 1];
      const flag = typeof before === 'string' && before.startsWith('-') && !before.includes('=') ? before : '';
      return this.#copy(item, isSecretName(flag) ? flag : name, above);
    });
  }

  #maskValue(value: string, name: string | undefined): string {
    if (name === undefined) return this.maskText(value);
    return value === '' || isPlaceholder(name, value) ? value : mask;
  }
}

function ownEntries(value: object): [string, unknown][] {
  const entries = Object.keys(value).map((key): [string, unknown] => [key, read(value, key)]);
  if (!(value instanceof Error)) return entries;
  // What an error says is not enumerable; without this it would be logged as {}.
  const said = ['name', 'message', 'stack', 'cause'].map((key): [string, unknown] => [key, read(value, key)]);
  return [...said.filter(([, item]) => item !== undefined), ...entries.filter(([key]) => key !== 'name')];
}

function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return '[unreadable]';
  }
}

/** In {name: "X-Api-Key", value: "..."} (or `key` for `name`) the name is a value, and the value what it names. */
function nameOfPair(entries: readonly (readonly [unknown, unknown])[]): string | undefined {
  const named = entries.find(([key]) => key === 'name' || key === 'key')?.[1];
  return typeof named === 'string' && entries.some(([key]) => key === 'value') ? named : undefined;
}

function jsonNumber(value: number | bigint): number | string {
  return typeof value === 'bigint' ? String(value) : value;
}

function encodeUrl(text: string): string {
  // encodeURIComponent throws on half a surrogate pair.
  return text.isWellFormed() ? encodeURIComponent(text) : text;
}
