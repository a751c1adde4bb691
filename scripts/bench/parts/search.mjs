/** How well, how fast and at what price tools are found. `--half dev` judges the half that is tuned on. */
import { formatTable } from '../table.mjs';
import { measureAnswers } from '../search/answers.mjs';
import { querySets } from '../search/data-sets.mjs';
import { measureJoined } from '../search/joined-queries.mjs';
import { maxMedianTokens, measureSeveral } from '../search/several-needs.mjs';
import { measureQuality } from '../search/quality.mjs';
import { measureScale } from '../search/scale.mjs';
import { measureTypedNames } from '../search/typed-names.mjs';
import { measureUsed } from '../search/used-tools.mjs';

const at = process.argv.indexOf('--half');
const half = at < 0 ? 'test' : process.argv[at + 1];

export async function measure(print) {
  const several = await measureSeveral();
  print(`four to seven needs in one search, o200k tokens; the goal for the median is ${maxMedianTokens}\n`);
  print(`${formatTable(several.map(inPercent))}\n`);
  if (several.some(({ met }) => met === 'no')) process.exitCode = 1;
  if (querySets(half).length === 0) {
    print('The rest is not measured: there are no catalogs and queries in ../shared/data.');
    return { several };
  }
  const quality = measureQuality(half);
  print(`per cent on the ${half} half of each set; tools that do the same count as one\n`);
  print(formatTable(quality.map(inPercent)));
  const joined = measureJoined(half);
  print('\nper cent, the same needs in short wordings with commas between\n');
  print(formatTable(joined.map(inPercent)));
  const used = measureUsed(half);
  print('\nper cent among the first five, where earlier calls are known\n');
  print(formatTable(used.map(inPercent)));
  const typedNames = measureTypedNames();
  print(`\nper cent of typed names (livemcpbench) whose tool comes first\n`);
  print(formatTable(typedNames.map(inPercent)));
  const answers = await measureAnswers(half);
  print('\no200k tokens of an answer of search_tools\n');
  print(formatTable(answers));
  const scale = measureScale();
  print(
    '\nthe index at scale; a list is two needs with a comma between, shown is what a search of a mode picks of it, a change is one server listing anew and the query after it\n',
  );
  print(formatTable(scale));
  return { half, several, quality, joined, used, typedNames, answers, scale };
}

function inPercent(row) {
  const shown = Object.entries(row).map(([key, value]) => [
    key,
    isShare(key, value) ? (value * 100).toFixed(1) : value,
  ]);
  return Object.fromEntries(shown);
}

function isShare(key, value) {
  return typeof value === 'number' && value <= 1 && key !== 'queries';
}
