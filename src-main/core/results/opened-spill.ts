/** A file that readers may look into: a kept answer, or one in a folder that the person has allowed. */
import type { FileHandle } from 'node:fs/promises';
import type { Spill, SpillKind } from './spill.ts';

/** Read through the handle: somebody may exchange what lies at the path. Whoever opens it disposes of it. */
export interface OpenedSpill extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Absolute, without symbolic links. */
  readonly file: string;
  readonly kind: SpillKind;
  readonly bytes: number;
  /** undefined for a file of an allowed folder. */
  readonly spill: Spill | undefined;
}
