/** Where a core keeps what it has to remember: files of a home, or what the replicas of a team share. */
import { join } from 'node:path';
import { JsonFile, type KeptDocument } from './base/kept-document.ts';
import { profileTokensFile } from './profiles/profile-tokens.ts';
import type { OpenRecords } from './security/private-records.ts';
import { PinFolder, type PinShelf } from './trust/pins/pin-file.ts';

export interface CoreStores {
  /** What models asked for and nobody has decided. */
  readonly proposals: KeptDocument;
  /** What was decided, and what it takes to take it back. */
  readonly decisions: KeptDocument;
  /** What was decided for good about what leaves, and what was asked about it. */
  readonly flowDecisions: KeptDocument;
  readonly flowRecord: KeptDocument;
  readonly profileTokens: OpenRecords;
  /** What was accepted of each server. */
  readonly pins: PinShelf;
}

/** Opens nothing yet. */
export function homeStores(dataDir: string): CoreStores {
  const document = (name: string, empty?: string): KeptDocument => new JsonFile(join(dataDir, `${name}.json`), empty);
  return {
    proposals: document('proposals'),
    decisions: document('decisions'),
    flowDecisions: document('flow-decisions'),
    flowRecord: document('flow-record', '{}'),
    profileTokens: profileTokensFile(dataDir),
    pins: new PinFolder(join(dataDir, 'pins')),
  };
}
