/** State of the dashboard and the tray: everything that the core publishes to subscribers. */
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
 * State of the dashboard and the tray, in slices. A subscriber first receives the full state, then only changed
 * slices; an absent slice is unchanged. Types only. Times are in ms since 1970 or, if noted, durations in ms; sizes in
 * bytes.
 */
export interface AppState {
  readonly core: CoreFacts;
  /** Unhealthy servers first. */
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
  /** Client apps that have an entry or have connected. */
  readonly access: readonly AccessRow[];
  readonly modes: ModesOverview;
  readonly settings: SettingsFacts;
  /** The viewer's role in a team; null for a single user. */
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
  /** Why HTTP does not listen where the config says, and how to fix it; empty if it does. */
  readonly httpProblem: string;
  /** Stores that cannot currently be written. */
  readonly storeProblems: readonly StoreProblem[];
  readonly startedAt: number;
  /** All servers are paused; calls are refused with an explanation. */
  readonly paused: boolean;
  /** The core runs inside the desktop app: system settings can be changed and folders revealed. */
  readonly desktop: boolean;
  readonly platform: string;
  /** Problems in the config file, a sentence each. */
  readonly configProblems: readonly string[];
  /** The config file is missing; its last contents are in use. */
  readonly configMissing: boolean;
}

export interface AttentionItem {
  readonly id: string;
  readonly sentence: string;
  readonly server: string | undefined;
  /** For a server: a short cause shown after its name. */
  readonly reason?: string;
  readonly action: AttentionAction;
  /** Items with the same cause are reported once; undefined: not grouped. */
  readonly cause?: string;
}

export type AttentionAction = FindingAction;
