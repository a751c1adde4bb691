/**
 * The bytes of one message as they come in: those of a short one as they are, those of a long one copied into a few pieces of
 * tens of megabytes. Thousands of small pieces that live as long as the message leave holes in the allocator's heap, which the
 * system does not get back: after an answer of 400 MB a core stayed as large as it had been with it.
 */

/** From here on a message is long. */
const longBytes = 4 * 1024 * 1024;
/** Parts of this size are no small pieces. */
const largeBytes = 1024 * 1024;
/** Over the 32 MiB from which the allocators of all systems, glibc's last, take memory of its own from the system. */
const pieceBytes = 33 * 1024 * 1024;

export class GatheredBytes {
  readonly #parts: Buffer[] = [];
  #size = 0;
  #piece: Buffer | undefined;
  #used = 0;

  push(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > longBytes && part.length < largeBytes) return this.#copy(part);
    this.#endPiece();
    this.#parts.push(part);
  }

  /** All that has come, in order. */
  parts(): readonly Buffer[] {
    this.#endPiece();
    return this.#parts;
  }

  #copy(part: Buffer): void {
    for (let rest = part; rest.length > 0;) {
      this.#piece ??= Buffer.allocUnsafeSlow(pieceBytes);
      const copied = rest.copy(this.#piece, this.#used);
      this.#used += copied;
      rest = rest.subarray(copied);
      if (this.#used === pieceBytes) this.#endPiece();
    }
  }

  #endPiece(): void {
    if (this.#piece !== undefined) this.#parts.push(this.#piece.subarray(0, this.#used));
    this.#piece = undefined;
    this.#used = 0;
  }
}
