/** Inside the VM: converts values to text, for results, console output and errors. */

export interface GuestValues {
  /** `exact`: for a text that may contain integers beyond a double, which become BigInts. Throws SyntaxError. */
  readonly fromJson: (text: string, exact: boolean) => unknown;
  /** Converts to JSON. Throws an Error with the code SERIALIZATION_ERROR for values that JSON would silently drop. */
  readonly toJson: (value: unknown) => string;
  /** Formats a value for the console. */
  readonly show: (value: unknown) => string;
  /** Describes a thrown value, as JSON of ThrownText. */
  readonly describe: (thrown: unknown) => string;
}

/** Every member is a text or absent. */
export interface ThrownText {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly code?: string;
}

/** Runs in the VM as text, so it must not refer to anything outside of its body. */
export function guestValues(): GuestValues {
  const longest = 65_536;
  const { parse, stringify } = JSON;
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
  const NativePromise = Promise;
  const { InternalError: EngineError } = globalThis as unknown as { InternalError: ErrorConstructor };

  // A BigInt is written with all digits of its number, also by the code's own JSON.stringify.
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    value(this: bigint) {
      return rawJSON(String(this));
    },
    writable: true,
    configurable: true,
  });

  function keepDigits(_key: string, value: unknown, { source = '' }: { source?: string }): unknown {
    const isCut = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
    return isCut ? BigInt(source) : value;
  }

  function fromJson(text: string, exact: boolean): unknown {
    return exact ? parse(text, keepDigits as (key: string, value: unknown) => unknown) : parse(text);
  }

  function fault(message: string): Error {
    return Object.assign(new Error(message), { name: 'SerializationError', code: 'SERIALIZATION_ERROR' });
  }

  /** Converts values that JSON would write as {}. */
  function plain(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Map) return [...value.keys()].every(isText) ? Object.fromEntries(value) : [...value];
    if (value instanceof Set) return [...value];
    if (value instanceof Error) return { name: value.name, message: value.message };
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(value as Uint8Array);
    return value;
  }

  function isText(value: unknown): value is string {
    return typeof value === 'string';
  }

  function strict(key: string, value: unknown): unknown {
    const place = key === '' ? 'It' : `"${key}"`;
    if (typeof value === 'function' || typeof value === 'symbol') throw fault(`${place} is a ${typeof value}.`);
    if (value instanceof NativePromise) throw fault(`${place} is a promise; await it first.`);
    return plain(value);
  }

  function loose(_key: string, value: unknown): unknown {
    return typeof value === 'function' || typeof value === 'symbol' ? `[${typeof value}]` : plain(value);
  }

  function toJson(value: unknown): string {
    try {
      return stringify(value, strict) ?? 'null';
    } catch (error) {
      if (error instanceof EngineError) throw error;
      const reason = error instanceof Error ? error.message : 'reading it threw an error.';
      throw fault(`The value cannot be written as JSON: ${reason}`);
    }
  }

  function show(value: unknown): string {
    try {
      if (isText(value)) return value.slice(0, longest);
      if (typeof value === 'symbol') return String(value);
      if (typeof value === 'function') return `[function ${value.name}]`;
      if (value instanceof Error) return `${value.name}: ${value.message}`.slice(0, longest);
      return ((stringify(value, loose) as string | undefined) ?? String(value)).slice(0, longest);
    } catch {
      return '[a value that cannot be shown]';
    }
  }

  function text(value: unknown): string | undefined {
    return isText(value) ? value.slice(0, 8192) : undefined;
  }

  function describe(thrown: unknown): string {
    try {
      if (!(thrown instanceof Error))
        return stringify({ message: `A value was thrown: ${show(thrown).slice(0, 8192)}` });
      const { name, message, stack, code } = thrown as Error & { code?: unknown };
      return stringify({ name: text(name), message: text(message), stack: text(stack), code: text(code) });
    } catch {
      return '{"message":"An unreadable value was thrown."}';
    }
  }

  return { fromJson, toJson, show, describe };
}
