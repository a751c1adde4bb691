/**
 * `npm run size -- --users N [--calls-per-user 200 …]`: what a team of a size needs and pays, by a paper model; several
 * N side by side, divided by commas. `--help` names what may be assumed otherwise.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { assumptions, sizeOf } from './model.mjs';

const dashed = (name) => name.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`);
const byFlag = new Map(Object.keys(assumptions).map((name) => [dashed(name), name]));

const rows = [
  ['calls a second, mean', ({ callsASecond }) => short(callsASecond)],
  ['… at the peak', ({ atPeak }) => short(atPeak)],
  ['cores at the peak, all parts', ({ coresAtPeak }) => short(coresAtPeak)],
  ['replicas of one core, one may be away', ({ replicas }) => short(replicas)],
  ['cells with a PostgreSQL each', ({ cells }) => short(cells)],
  ['activity a day', ({ activityGBADay }) => gigabytes(activityGBADay)],
  ['… as long as it is kept', ({ activityGB }) => gigabytes(activityGB)],
  ['kept answers', ({ keptGB }) => gigabytes(keptGB)],
  ['… storage, writes a month', ({ keptDollars, putDollars }) => `${dollars(keptDollars)}, ${dollars(putDollars)}`],
  ['open streams, memory', ({ streams, streamGB }) => `${short(streams)}, ${gigabytes(streamGB)}`],
  ['personal servers, memory', ({ personalGB }) => gigabytes(personalGB)],
  ['… a month', ({ personalDollars }) => dollars(personalDollars)],
  ['tokens of definitions not sent, a day', ({ tokensNotSentADay }) => short(tokensNotSentADay)],
];

try {
  process.exitCode = run(process.argv.slice(2));
} catch (error) {
  console.error(`size: ${error.message}`);
  process.exitCode = 2;
}

function run(args) {
  const known = Object.fromEntries(['users', ...byFlag.keys()].map((flag) => [flag, { type: 'string' }]));
  const { values } = parseArgs({ args, options: { ...known, help: { type: 'boolean' } } });
  if (values.help) {
    console.log('npm run size -- --users N[,N …] [--NAME VALUE …]\n\nWhat it assumes:');
    for (const [flag, name] of byFlag) console.log(`  --${flag.padEnd(20)} ${assumptions[name].join(': ')}`);
    return 0;
  }
  const users = (values.users ?? '10,1000,100000').split(',').map((each) => number('users', each));
  const given = Object.fromEntries(
    Object.entries(values).flatMap(([flag, text]) =>
      byFlag.has(flag) ? [[byFlag.get(flag), number(flag, text)]] : [],
    ),
  );
  const sizes = users.map((each) => sizeOf(each, given));
  const table = [['daily users', ...users.map(short)], ...rows.map(([name, tell]) => [name, ...sizes.map(tell)])];
  const widths = table[0].map((_, at) => Math.max(...table.map((row) => row[at].length)));
  for (const row of table)
    console.log(row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('   '));
  return 0;
}

function number(flag, text) {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new Error(`--${flag} wants a number above 0, and ${JSON.stringify(text)} is none.`);
}

function short(value) {
  if (value >= 1e4)
    return new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(value);
  return new Intl.NumberFormat('en', { maximumSignificantDigits: value < 1 ? 1 : 3 }).format(value);
}

function gigabytes(value) {
  if (value >= 1000) return `${short(value / 1000)} TB`;
  return value >= 1 ? `${short(value)} GB` : `${short(value * 1000)} MB`;
}

function dollars(value) {
  return `$${short(value)}`;
}
