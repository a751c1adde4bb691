/** Words that say nothing about which tool is meant: grammar, and the manners of a request. */

const grammar = `a an the this that these those and or but if then than so as at by for from in into of off on onto out
  over to up with within without about is are was were be been being am do does did doing done have has had having
  will would shall should can could may might must not no nor it its they them their there he she his her him
  i me my mine myself we us our ours you your yours who whom whose which what when where how why
  any some all each every both such very just also too only more most other s t d m ll re ve don`;

const manners = `please need needs needed want wants wanted like using use used uses via help helps let lets give
  tell know would trying try wish looking hello hi thanks thank`;

const stopWords: ReadonlySet<string> = new Set(`${grammar} ${manners}`.split(/\s+/));

/** Expects a lower-case word. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}
