/** Says before the first test what they run on: a green run on the stand-in is worth less. */
import { nameOfElectron } from './which-electron.ts';

export default function sayWhich(): void {
  console.log(`Desktop tests on ${nameOfElectron()}.`);
}
