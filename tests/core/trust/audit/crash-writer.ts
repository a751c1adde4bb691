/** Records calls until it is killed. Takes the folder as its argument. */
import { call, openAudit } from './fixture.ts';

const audit = openAudit(process.argv[2] ?? '', { now: Date.now });
let n = 0;
setInterval(() => {
  for (let i = 0; i < 300; i++) audit.note(call({ session: `s${++n}` }));
  if (audit.flush()) process.stdout.write(`${n}\n`);
}, 1);
