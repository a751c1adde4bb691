/**
 * The core's state in the page. Created by the entry point; components read it with
 * `useAppState()`.
 */
import { createContext } from 'svelte';
import type { AppState, StateChange } from '../../src-main/rpc/contract.ts';
import { type Connection, watchState } from './state-stream.ts';

export const [useAppState, provideAppState] = createContext<AppStateStore>();

/** undefined until the first message. They are kept while the core is unavailable. */
export type Slices = { readonly [S in keyof AppState]: AppState[S] | undefined };

/** Whether the viewer is a team user, who has other views and no single-user data. */
export function isOfTeam({ team }: Pick<Slices, 'team'>): boolean {
  return team !== null && team !== undefined;
}

export class AppStateStore implements Slices {
  core = $state.raw<AppState['core']>();
  servers = $state.raw<AppState['servers']>();
  sessions = $state.raw<AppState['sessions']>();
  attention = $state.raw<AppState['attention']>();
  inbox = $state.raw<AppState['inbox']>();
  dataFlow = $state.raw<AppState['dataFlow']>();
  profiles = $state.raw<AppState['profiles']>();
  savings = $state.raw<AppState['savings']>();
  activity = $state.raw<AppState['activity']>();
  timeline = $state.raw<AppState['timeline']>();
  spills = $state.raw<AppState['spills']>();
  setup = $state.raw<AppState['setup']>();
  access = $state.raw<AppState['access']>();
  modes = $state.raw<AppState['modes']>();
  settings = $state.raw<AppState['settings']>();
  team = $state.raw<AppState['team']>();

  connection = $state<Connection>('connecting');
  /** While the core is unavailable: time when the slices were last current, in ms since 1970. */
  asOf = $state<number>();

  /** Starts listening; returns a function that stops it. */
  start(): () => void {
    return watchState({
      onChange: (change) => this.apply(change),
      onConnection: (connection) => this.#connectionIs(connection),
    });
  }

  /** An absent slice is unchanged. */
  apply(change: StateChange): void {
    Object.assign(this, change);
  }

  #connectionIs(connection: Connection): void {
    if (connection === 'live') this.asOf = undefined;
    else if (this.connection === 'live') this.asOf = Date.now();
    this.connection = connection;
  }
}
