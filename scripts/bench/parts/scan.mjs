/** What the scanner finds, what it takes for an attack and is none, by rule, and what it costs. */
import { scanDefinition, scanResult } from '../../../src-main/core/trust/scan/scan.ts';
import { scanLine } from '../../../src-main/cli/scan-lines.ts';
import { readCases, readOrdinary } from '../scan/cases.mjs';
import { quantile } from '../statistics.mjs';
import { formatTable } from '../table.mjs';

export async function measure(print) {
  const cases = readCases();
  if (cases.length === 0) {
    print('Not measured: there are no cases in ../shared/data/attacks.');
    return undefined;
  }
  const judged = cases.map((one) => ({ ...one, ...judge(one) }));
  const sets = bySet(judged);
  print('per cent found; `dev` and `test` are two halves by chance, both looked at while rules were changed\n');
  print(formatTable(sets));
  const catalogs = readOrdinary().map(judgeCatalog);
  print('\nother catalogs, taken to be ordinary\n');
  print(formatTable(catalogs.map(({ row }) => row)));
  const rules = byRule(judged, catalogs);
  print('\ncases of each set that a rule had a part in; `catalogs`: of the catalogs above\n');
  print(formatTable(rules));
  const costs = measureCosts(cases);
  print('\ntime; beside it one pass of a plain pattern over the same texts\n');
  print(formatTable(costs));
  return { sets, catalogs: catalogs.map(({ row }) => row), rules, costs };
}

/** As the command line judges a line. */
function judge(one) {
  const { verdict, findings } = scanLine({ number: 1, text: JSON.stringify(one) });
  return { verdict, rules: [...new Set(findings.map(({ rule }) => rule))] };
}

function bySet(judged) {
  const names = [...new Set(judged.map(({ set }) => set))].sort();
  return names.map((set) => {
    const all = judged.filter((one) => one.set === set);
    const share = (rows, wanted) => percent(rows.filter(wanted).length, rows.length);
    const halves = ['dev', 'test'].map((half) => all.filter((one) => one.half === half));
    return {
      set,
      cases: all.length,
      found: share(all, isFound),
      'found dev': share(halves[0], isFound),
      'found test': share(halves[1], isFound),
      blocked: share(all, isBlocked),
      'blocked dev': share(halves[0], isBlocked),
      'blocked test': share(halves[1], isBlocked),
    };
  });
}

function judgeCatalog({ source, tools }) {
  const reports = tools.map(({ name, description, inputSchema }) => scanDefinition({ name, description, inputSchema }));
  const found = reports.filter(isFound);
  return {
    row: {
      catalog: source,
      tools: tools.length,
      'for review': percent(found.length, tools.length),
      blocked: percent(reports.filter(isBlocked).length, tools.length),
    },
    rules: found.map(({ findings }) => [...new Set(findings.map(({ rule }) => rule))]),
  };
}

const columns = ['tool attacks, directive', 'result attacks', 'ordinary tools', 'everyday texts', 'read-mes'];

function byRule(judged, catalogs) {
  const ofCatalogs = catalogs.flatMap(({ rules }) => rules);
  const names = [...new Set([...judged.flatMap(({ rules }) => rules), ...ofCatalogs.flat()])];
  const rows = names.map((rule) => ({
    rule,
    ...Object.fromEntries(
      columns.map((set) => [set, judged.filter((one) => one.set === set && one.rules.includes(rule)).length]),
    ),
    catalogs: ofCatalogs.filter((rules) => rules.includes(rule)).length,
  }));
  return rows.sort((a, b) => b[columns[0]] + b[columns[1]] - a[columns[0]] - a[columns[1]]);
}

const isFound = ({ verdict }) => verdict !== 'clean';
const isBlocked = ({ verdict }) => verdict === 'block';

function percent(part, whole) {
  return whole === 0 ? '' : ((100 * part) / whole).toFixed(1);
}

const rounds = 5;
const plain = /ignore (?:all )?previous instructions|system prompt|do not tell the user/i;

/** Everything once before: the first round is slower than all that follow. */
function measureCosts(cases) {
  const tools = cases.filter(({ kind }) => kind === 'tool').map(({ tool }) => tool);
  const texts = cases.filter(({ kind }) => kind === 'result').map(({ text }) => text);
  const toolTexts = tools.map((tool) => JSON.stringify(tool));
  return [cost('tools', tools, toolTexts, scanDefinition), cost('results', texts, texts, scanResult)];
}

function cost(what, inputs, texts, scan) {
  const kilobytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1024;
  const times = [];
  let [whole, pattern] = [Infinity, Infinity];
  for (let round = 0; round <= rounds; round++) {
    let sum = 0;
    for (const input of inputs) {
      const start = performance.now();
      scan(input);
      const time = performance.now() - start;
      if (round > 0) times.push(time);
      sum += time;
    }
    const start = performance.now();
    for (const text of texts) plain.test(text);
    pattern = Math.min(pattern, performance.now() - start);
    if (round > 0) whole = Math.min(whole, sum);
  }
  return {
    what,
    'ms each, p50': quantile(times, 0.5).toFixed(3),
    'ms each, p99': quantile(times, 0.99).toFixed(3),
    'ms per KB': (whole / kilobytes).toFixed(4),
    'plain pattern, ms per KB': (pattern / kilobytes).toFixed(4),
  };
}
