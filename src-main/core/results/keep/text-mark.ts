/** By what a text is known again without being held: its length and a checksum. */
import { crc32 } from 'node:zlib';
import type { ByteTarget } from './consumer.ts';

export class TextMark implements ByteTarget {
  #checksum = 0;
  length = 0;

  push(bytes: Uint8Array, start: number, end: number): void {
    this.length += end - start;
    this.#checksum = crc32(bytes.subarray(start, end), this.#checksum);
  }

  equals(other: TextMark): boolean {
    return this.length === other.length && this.#checksum === other.#checksum;
  }
}
