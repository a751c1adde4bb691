/** Many texts in one file, one after the other, where a file for each would drown the reader. */
import { closeSync, openSync, readSync } from 'node:fs';
import type { DraftPlace } from './draft-place.ts';
import { PartDraft } from './part-draft.ts';
import type { TextPart } from './text-part.ts';

const pieceBytes = 256 * 1024;

export class TextGathering {
  /** Where the first of them stood in the answer. */
  readonly order: number;
  readonly draft: PartDraft;
  texts = 0;

  constructor(place: DraftPlace, order: number) {
    this.draft = new PartDraft(place);
    this.order = order;
  }

  add(text: Uint8Array): void {
    if (this.texts++ > 0) this.draft.byte(0x0a);
    this.draft.push(text, 0, text.length);
  }

  /** Takes over a text that has a draft of its own: as it came, if it is short enough to be at hand. */
  take(part: TextPart): void {
    const { file } = part.draft;
    if (file === undefined) this.add(part.raw ?? part.draft.content);
    else {
      this.add(Buffer.alloc(0));
      this.#copy(file);
      part.draft.discard();
    }
  }

  #copy(file: string): void {
    const descriptor = openSync(file, 'r');
    try {
      const piece = Buffer.allocUnsafe(pieceBytes);
      for (let count = -1; count !== 0;) {
        count = readSync(descriptor, piece);
        this.draft.push(piece, 0, count);
      }
    } finally {
      closeSync(descriptor);
    }
  }
}
