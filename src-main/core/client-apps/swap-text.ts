/** Puts a new text into a file's place unless the file has changed, and takes it back when somebody writes at that very moment. */
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, linkSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeFileAtomic } from '../base/atomic-file.ts';

/** An app that had just opened the old file may be held up before it writes: the file is looked at again after this, in ms. */
const afterthoughtMs = 10;

/** `undefined` stands for no file. Answers false, with nothing of anybody's lost, when the file was not `expected`. */
export async function swapText(
  target: string,
  expected: string | undefined,
  after: string | undefined,
): Promise<boolean> {
  const old = new OldFile(target, expected);
  try {
    if (after === undefined) return old.remove();
    let isLate = false;
    const isWritten = await writeFileAtomic(target, after, {
      beforeReplace: async () => old.isUnchanged(),
      afterReplace: () => (isLate = old.putBackIfWritten()),
    });
    if (!isWritten || isLate) return false;
    await sleep(afterthoughtMs);
    return !old.putBackIfWritten(after);
  } finally {
    old.forget();
  }
}

/** The file that is about to be replaced, kept in hand under a second name: an app may be writing into it. */
class OldFile {
  readonly #target: string;
  readonly #expected: string | undefined;
  readonly #file: number | undefined;
  readonly #spare: string | undefined;

  constructor(target: string, expected: string | undefined) {
    this.#target = target;
    this.#expected = expected;
    // Windows refuses to replace a file that is open.
    if (process.platform === 'win32' || expected === undefined) return;
    this.#file = quietly(() => openSync(target, 'r'));
    // Named as drafts are, so that it is swept up when we are killed. Some file systems know no second names.
    const spare = `${target}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`;
    this.#spare = quietly(() => (linkSync(target, spare), spare));
  }

  /** Asked at once before the rename, without a turn of the event loop in between. */
  isUnchanged(): boolean {
    const now = quietly(() => statSync(this.#target));
    if (now === undefined || this.#expected === undefined) return now === undefined && this.#expected === undefined;
    if (this.#file === undefined) return textAt(this.#target) === this.#expected;
    return fstatSync(this.#file).ino === now.ino && textOf(this.#file) === this.#expected;
  }

  /**
   * Whoever opened the old file before it was replaced writes into it still: then it has to be the file again. Not where
   * something else than `replacement` has come into its place meanwhile.
   */
  putBackIfWritten(replacement?: string): boolean {
    if (this.#file === undefined || this.#spare === undefined || textOf(this.#file) === this.#expected) return false;
    if (replacement !== undefined && textAt(this.#target) !== replacement) return false;
    renameSync(this.#spare, this.#target);
    return true;
  }

  remove(): boolean {
    if (!this.isUnchanged()) return false;
    rmSync(this.#target, { force: true });
    return true;
  }

  forget(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    if (this.#spare !== undefined) rmSync(this.#spare, { force: true });
  }
}

function textAt(path: string): string | undefined {
  return quietly(() => {
    const file = openSync(path, 'r');
    try {
      return textOf(file);
    } finally {
      closeSync(file);
    }
  });
}

/** All of it, from the start. */
function textOf(file: number): string {
  const bytes = Buffer.alloc(fstatSync(file).size);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = readSync(file, bytes, length, bytes.length - length, length);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length));
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
