/** The state of the dashboard and the tray: everything that the core publishes to its watchers. */
import type { AccessRow } from '../../core/client-apps/app-rows.ts';
import type { FindingAction } from '../../core/health/finding.ts';
import type { StoreProblem } from '../../core/health/store-health.ts';
import type { ProfilesOverview } from '../../core/profiles/profile-service.ts';
import type { InboxSummary } from '../../core/trust/inbox/inbox-item.ts';
import type { ActivityOverview } from './activity.ts';
import type { SessionStatus } from './core.ts';
import type { DataFlowOverview } from './data-flow.ts';
import type { SavingsOverview } from './savings.ts';
import type { ServerRow } from './servers.ts';
import type { ModesOverview, SettingsFacts } from './settings.ts';
import type { SetupFacts } from './setup.ts';
import type { SpillUsage } from './spills.ts';
import type { TeamFacts } from './team.ts';
import type { TimelineOverview } from './timeline.ts';

/**
 * State of the dashboard and the tray, in slices. A watcher first receives all of it, then only the slices that
 * changed; an absent slice is unchanged. Types only. Times are in ms since 1970 or, if noted, durations in ms; sizes in
 * bytes.
 */
export interface AppState {
  readonly core: CoreFacts;
  /** Ill ones first. */
  readonly servers: readonly ServerRow[];
  readonly sessions: readonly SessionStatus[];
  /** Items that need attention, most urgent first. */
  readonly attention: readonly AttentionItem[];
  /** Pending decisions, most urgent first. */
  readonly inbox: readonly InboxSummary[];
  readonly dataFlow: DataFlowOverview;
  readonly profiles: ProfilesOverview;
  readonly savings: SavingsOverview;
  readonly activity: ActivityOverview;
  readonly timeline: TimelineOverview;
  readonly spills: SpillUsage;
  readonly setup: SetupFacts;
  /** Client apps that have an entry or were seen. */
  readonly access: readonly AccessRow[];
  readonly modes: ModesOverview;
  readonly settings: SettingsFacts;
  /** Who looks, of a team; null: one user's own Tooltray. */
  readonly team: TeamFacts | null;
}

export type StateChange = Partial<AppState>;

export interface CoreFacts {
  readonly version: string;
  /** Path of the config file. */
  readonly configFile: string;
  readonly logDir: string;
  readonly socket: string;
  /** Address of the MCP endpoint; empty if there is none. */
  readonly http: string;
  /** Why HTTP is not where the config wants it, and what to do; empty if it is. */
  readonly httpProblem: string;
  /** Stores that cannot be written now. */
  readonly storeProblems: readonly StoreProblem[];
  readonly startedAt: number;
  /** Every server is held still; calls are refused with a sentence. */
  readonly paused: boolean;
  /** The core runs inside the desktop app: settings of the system can be changed, folders be revealed. */
  readonly desktop: boolean;
  readonly platform: string;
  /** Problems in the config file, a sentence each. */
  readonly configProblems: readonly string[];
  /** There is no config file any more; what it said last is in use. */
  readonly configMissing: boolean;
}

export interface AttentionItem {
  readonly id: string;
  readonly sentence: string;
  readonly server: string | undefined;
  /** For a server: the cause, in a few words shown after its name. */
  readonly reason?: string;
  readonly action: AttentionAction;
  /** Items with the same cause are told of once; undefined: each is its own. */
  readonly cause?: string;
}

export type AttentionAction = FindingAction;
