/** The last day's calls in sums, worked out anew every two seconds at the most: a busy day has a hundred thousand of them. */
import { callsByServer, callsPerHour, type HourOfCalls, type ServerCalls } from '../../core/activity/call-sums.ts';
import type { Aggregator } from '../../core/aggregator.ts';

const freshMs = 2000;
const hours = 24;
const dayMs = 86_400_000;

export class DayOfCalls {
  readonly #activity: Aggregator['activity'];
  #servers: readonly ServerCalls[] = [];
  #hours: readonly HourOfCalls[] = [];
  #at = 0;

  constructor(activity: Aggregator['activity']) {
    this.#activity = activity;
  }

  /** Those that cost most first. */
  get servers(): readonly ServerCalls[] {
    this.#refresh();
    return this.#servers;
  }

  /** Oldest first. */
  get hours(): readonly HourOfCalls[] {
    this.#refresh();
    return this.#hours;
  }

  #refresh(): void {
    const now = Date.now();
    if (now - this.#at < freshMs) return;
    this.#at = now;
    this.#activity.query((database, stretches) => {
      this.#servers = callsByServer(database, now - dayMs, stretches);
      this.#hours = callsPerHour(database, now, hours, stretches);
    });
  }
}
