/** A process that records calls until it is killed. Takes the folder as its argument. */
import { call, openActivity } from './fixture.ts';

const { activity } = openActivity(process.argv[2] ?? '', { maxBytes: 2_000_000 });
let n = 0;
setInterval(() => {
  for (let i = 0; i < 300; i++) activity.record(call({ startedAt: ++n, tool: `tool${n % 7}` }));
  activity.flush();
  process.stdout.write(`${n}\n`);
}, 1);
