/** White space between the tokens of JSON (RFC 8259, section 2). */

/** Takes a byte of UTF-8; undefined is the end of the bytes. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}
