/** How much a word of a request tells of the tool that is meant: nothing, little, or all that its rarity says. */

const grammar = `a an the this that these those and or but if then than so as at by for from in into of off on onto out
  over to up with within without about is are was were be been being am do does did doing done have has had having
  will would shall should can could may might must not no nor it its they them their there he she his her him
  i me my mine myself we us our ours you your yours who whom whose which what when where how why
  any some all each every both such very just also too only more most other s t d m ll re ve don`;

const manners = `please need needs needed want wants wanted like using use used uses via help helps let lets give
  tell know would trying try wish looking hello hi thanks thank`;

/**
 * Common in requests of every kind but rare in catalogs, where rarity would make them seem telling. Left out are words
 * that may well name what a tool does: recommend, share, start, guide.
 */
const faint = `additionally addition furthermore moreover finally lastly firstly secondly next now today tonight tomorrow
  yesterday currently recently soon later already again still yet ever always often usually maybe perhaps actually
  really quite rather even much many lot lots few several various different certain specific specifically particular
  particularly exact exactly relevant related based according regarding concerning including etc along together through
  throughout among around across during while until since because due though although however whether well good better
  great nice perfect excellent amazing awesome wonderful favorite interesting interested exciting excited curious
  important helpful useful valuable comprehensive thorough popular famous unique possible potential able ready sure
  right okay ok yes hey dear sorry hope appreciate love enjoy feel think thinking believe consider considering decide
  planning go going come coming keep making made taking named provide provides provided providing assist assistance
  assisting thing things something anything everything someone anyone everyone kind sort bit example purpose goal reason
  past upcoming big small whole entire another others same own following`;

const faintWeight = 0.3;

const stopWords: ReadonlySet<string> = new Set(`${grammar} ${manners}`.split(/\s+/));
const faintWords: ReadonlySet<string> = new Set(faint.split(/\s+/));

/** 0 to 1; 0 is a stop word. Expects a lower-case word. */
export function tellingWeight(word: string): number {
  if (stopWords.has(word)) return 0;
  return faintWords.has(word) ? faintWeight : 1;
}
