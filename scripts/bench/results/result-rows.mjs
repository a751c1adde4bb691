/**
 * One thing that is done to long answers, measured: time, memory, how late the event loop was, and echoes meanwhile.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../statistics.mjs';
import { echoFigures } from './echoes.mjs';

const idleMs = 2500;

/** Each row has an idle time of its own before it: other programs on the machine come and go. */
export async function measureRow({ core, echoes, print }, name, work, times) {
  const idle = figures(core, await echoes.during(() => sleep(idleMs)));
  const busy = figures(core, await echoes.during(work));
  // What takes minutes says how far it is.
  print(`${name}: ${(busy.seconds / times).toFixed(2)} s, echo p99 × ${(busy.echo.p99 / idle.echo.p99).toFixed(1)}`);
  return { name, seconds: busy.seconds / times, idle, busy, load: loadavg()[0] };
}

function figures(core, measured) {
  const to = Date.now();
  const { lateMs, ...memory } = core.seen(to - measured.seconds * 1000, to);
  const late = { p50: quantile(lateMs, 0.5), most: Math.max(0, ...lateMs) };
  return { seconds: measured.seconds, echo: echoFigures(measured), late, ...memory };
}

/** A row as it is printed: against its own idle time. */
export function shownRow({ name, seconds, idle, busy, load }) {
  const ratio = (key) => (busy.echo[key] / idle.echo[key]).toFixed(1);
  return {
    what: name,
    's each': seconds.toFixed(2),
    'peak MB': Math.round(busy.peakMB),
    '÷ idle': (busy.peakMB / idle.lastMB).toFixed(1),
    'loop late ms': busy.late.most.toFixed(0),
    'idle ms': idle.late.most.toFixed(0),
    echoes: busy.echo.count,
    'p50 ÷ idle': ratio('p50'),
    'p99 ms': busy.echo.p99.toFixed(1),
    'p99 ÷ idle': ratio('p99'),
    'past it p50': ratio('pastP50'),
    'past it p99': ratio('pastP99'),
    load: load.toFixed(1),
  };
}
