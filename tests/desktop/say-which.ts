/** Reports before the first test which Electron is used, because a pass on the stand-in proves less. */
import { nameOfElectron } from './which-electron.ts';

export default function sayWhich(): void {
  console.log(`Desktop tests on ${nameOfElectron()}.`);
}
