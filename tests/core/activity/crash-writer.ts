/**
 * Records calls until it is killed. Takes the folder as its argument. Prints a line per turn: the number of the last
 * recorded call, and the time in ms since the epoch.
 */
import { call, openActivity } from './fixture.ts';

const { activity } = openActivity(process.argv[2] ?? '');
await activity.flush();
let n = 0;
setInterval(() => {
  for (let i = 0; i < 10; i++) activity.record(call({ startedAt: ++n, tool: `tool${n % 7}` }));
  process.stdout.write(`${n} ${Date.now()}\n`);
}, 5);
