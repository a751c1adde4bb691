/** Files that another process waits for. */
import { renameSync, writeFileSync } from 'node:fs';

/** Writes `text` so that a process that polls for `file` never finds it without its content. */
export function writeAtomically(file: string, text: string): void {
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}
