/**
 * What a team of a size needs and pays: a paper model, from figures that were measured (processor time, bytes) and some
 * that are assumed (how much a user works). Each figure is a line of arithmetic over `assumptions`, so whoever knows
 * better says so.
 */

const day = 86_400;
const month = 30;
const kB = 1e3;
const GB = 1e9;
const hoursAMonth = 730;

/** What the formulas start from: the flag that changes it, what it is, and its value. */
export const assumptions = {
  callsPerUser: ['calls of a user on a day', 200],
  peak: ['the busiest hour against the mean', 5],
  coreMs: ['processor time of a call in a replica, in ms', 0.23],
  balancerMs: ['… in the balancer, in ms', 0.05],
  databaseMs: ['… in PostgreSQL, in ms', 0.02],
  busy: ['how much of a core a replica may use at the peak', 0.5],
  rowBytes: ['bytes of a call in PostgreSQL, indexes included', 284],
  keepDays: ['days that activity is kept', 90],
  keptShare: ['share of calls whose answer is kept', 0.02],
  keptKB: ['size of a kept answer, in kB', 150],
  keptDays: ['days that answers are kept', 7],
  active: ['share of users that work at the same time', 0.1],
  agents: ['agents that one of them runs', 1.5],
  streamKB: ['memory of an open stream, in kB', 124],
  personal: ['personal servers that a person uses', 2],
  personalMB: ['memory of one, in MB', 80],
  definitionTokens: ['tokens of all tool definitions', 90_000],
  starts: ['agents that a user starts on a day', 5],
  dollarsGBMonth: ['$ for a GB in object storage for a month', 0.023],
  dollarsKPuts: ['$ for a thousand writes to it', 0.005],
  dollarsGBHour: ['$ for a GB of memory for an hour', 0.00945],
};

/** More than this one PostgreSQL should not book in a second; measured with one connection: 22,700. */
export const mostRowsASecond = 20_000;
/** A cell is replicas with a PostgreSQL of their own; above it, more cells. */
export const mostUsersACell = 100_000;

/**
 * Figures for so many daily users. `given`: other values for `assumptions`, by name.
 * @param {number} users
 * @param {Partial<Record<keyof typeof assumptions, number>>} [given]
 */
export function sizeOf(users, given = {}) {
  const of = Object.fromEntries(Object.entries(assumptions).map(([name, [, usual]]) => [name, given[name] ?? usual]));
  const callsADay = users * of.callsPerUser;
  const callsASecond = callsADay / day;
  const atPeak = callsASecond * of.peak;
  const coresAtPeak = (atPeak * (of.coreMs + of.balancerMs + of.databaseMs)) / 1000;
  const replicaCores = (atPeak * of.coreMs) / 1000;
  const keptADay = callsADay * of.keptShare;
  const keptGB = (keptADay * of.keptKB * kB * of.keptDays) / GB;
  const streams = users * of.active * of.agents;
  const personalGB = (users * of.active * of.personal * of.personalMB) / kB;
  return {
    callsASecond,
    atPeak,
    coresAtPeak,
    // One more than are needed, so that one may be away; never fewer than two.
    replicas: Math.max(2, Math.ceil(replicaCores / of.busy) + 1),
    activityGBADay: (callsADay * of.rowBytes) / GB,
    activityGB: (callsADay * of.rowBytes * of.keepDays) / GB,
    keptGB,
    keptDollars: keptGB * of.dollarsGBMonth,
    putDollars: ((keptADay * month) / 1000) * of.dollarsKPuts,
    streams,
    streamGB: (streams * of.streamKB * kB) / GB,
    personalGB,
    personalDollars: personalGB * of.dollarsGBHour * hoursAMonth,
    tokensNotSentADay: users * of.starts * of.definitionTokens,
    cells: Math.max(Math.ceil(users / mostUsersACell), Math.ceil(atPeak / mostRowsASecond)),
  };
}
