/** The grammar of numbers in JSON (RFC 8259, section 6), a byte at a time. */

const numberStates = {
  sign: 0,
  zero: 1,
  integer: 2,
  point: 3,
  fraction: 4,
  exponent: 5,
  exponentSign: 6,
  exponentDigits: 7,
} as const;

const { sign, zero, integer, point, fraction, exponent, exponentSign, exponentDigits } = numberStates;

/** The state that a first byte leads to; -1 where no number begins with it. */
export function beginNumber(byte: number): number {
  if (byte === 0x2d) return sign;
  if (byte === 0x30) return zero;
  return isDigit(byte) ? integer : -1;
}

/** The state that another byte leads to; -1 where the number cannot go on with it. */
export function continueNumber(state: number, byte: number): number {
  if (isDigit(byte)) return afterDigit(state, byte);
  if (byte === 0x2e) return state === zero || state === integer ? point : -1;
  if (byte === 0x65 || byte === 0x45) return state === zero || state === integer || state === fraction ? exponent : -1;
  if (byte === 0x2b || byte === 0x2d) return state === exponent ? exponentSign : -1;
  return -1;
}

/** Whether a number may end in this state. */
export function isWhole(state: number): boolean {
  return state === zero || state === integer || state === fraction || state === exponentDigits;
}

function afterDigit(state: number, byte: number): number {
  if (state === sign) return byte === 0x30 ? zero : integer;
  if (state === zero) return -1;
  if (state === point) return fraction;
  return state === exponent || state === exponentSign ? exponentDigits : state;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
