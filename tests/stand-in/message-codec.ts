/**
 * Serialization of messages between page and main process. Electron uses structured clone; here only plain data is
 * supported: what cannot be cloned is rejected as in Electron, and anything else throws. Each function is
 * self-contained, because both are also injected into the page as source text.
 */

export function encode(value: unknown): unknown {
  if (value === undefined) return { kind: 'undefined' };
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : { kind: 'number', value: String(value) };
  if (typeof value === 'function' || typeof value === 'symbol') throw new Error('An object could not be cloned.');
  if (Array.isArray(value)) return { kind: 'array', value: value.map((one) => encode(one)) };
  const parent = typeof value === 'object' ? (Object.getPrototypeOf(value) as object | null) : undefined;
  // Objects of another context of the same page have another Object.prototype.
  if (typeof value === 'object' && (parent === null || Object.getPrototypeOf(parent) === null)) {
    const members = Object.entries(value).map(([name, member]) => [name, encode(member)]);
    return { kind: 'object', value: Object.fromEntries(members) as unknown };
  }
  throw new Error(`The stand-in for Electron does not send ${Object.prototype.toString.call(value)}: write it.`);
}

export function decode(message: unknown): unknown {
  if (message === null || typeof message !== 'object') return message;
  const { kind, value } = message as { kind: string; value: unknown };
  if (kind === 'undefined') return undefined;
  if (kind === 'number') return Number(value);
  if (kind === 'array') return (value as unknown[]).map((one) => decode(one));
  const members = Object.entries(value as object).map(([name, member]) => [name, decode(member)]);
  return Object.fromEntries(members);
}
