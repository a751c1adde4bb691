/** Requests about settings and modes, of all client apps and of one. */
import type { DataFlowOverview } from './data-flow.ts';
import type { Nothing } from './nothing.ts';

export interface ModesOverview {
  /** The mode in the config. */
  readonly mode: string;
  readonly modes: readonly ModeCard[];
}

export interface ModeCard {
  readonly name: string;
  readonly line: string;
  /** With these servers: tools listed, and tokens of list and instructions (estimated). */
  readonly tools: number;
  readonly tokens: number;
  /** `auto` only: what it would choose for an unknown app, and why. */
  readonly reason: string | undefined;
}

export interface SettingsFacts {
  readonly results: {
    readonly threshold: number | undefined;
    readonly toon: boolean;
    readonly clean: boolean;
    readonly retentionDays: number;
    readonly maxBytes: number;
    readonly deleteOnExit: boolean;
  };
  readonly agentChanges: 'ask' | 'allow' | 'refuse';
  /** Permitted changes by models and those that need the user's approval, in sentences. */
  readonly changeRule: string;
  readonly pricePerMillion: number | undefined;
  readonly theme: 'system' | 'light' | 'dark';
  /** Desktop app only. */
  readonly startAtLogin: boolean | undefined;
  readonly notifications: boolean | undefined;
  readonly updates: 'off' | 'notify' | 'install' | undefined;
}

/** How one client app is served, and how it would be. */
export interface AppSettings {
  readonly appName: string;
  /** Its own; undefined: that of all apps. */
  readonly mode: string | undefined;
  /** The mode of apps that have none of their own. */
  readonly defaultMode: string;
  /** With what each would cost it. */
  readonly modes: readonly ModeCard[];
  /** Longer answers to it are kept on disk, in bytes, 0: none is; undefined: no limit of its own. */
  readonly threshold: number | undefined;
  /** The limit without one of its own. */
  readonly defaultThreshold: number;
  /** It reads its tools anew when they change; else after a restart. */
  readonly followsLists: boolean;
  /** The only servers that it is shown; undefined: all. */
  readonly servers: readonly string[] | undefined;
}

export interface SettingsContract {
  setMode: { input: { readonly mode: string }; output: Nothing };
  /** How one client app is served, by what it calls itself. */
  appSettings: { input: { readonly app: string }; output: AppSettings };
  /** Absent fields stay unchanged; null applies to all apps. Throws AppError `mode_unknown`. */
  setAppSettings: {
    input: {
      readonly app: string;
      readonly mode?: string | null;
      readonly threshold?: number | null;
      /** The only servers that it is shown, kept as a profile; its sessions reconnect. */
      readonly servers?: readonly string[] | null;
    };
    output: Nothing;
  };
  setSettings: {
    input: {
      /** A threshold of null: what suits the client app. */
      readonly results?: Partial<Omit<SettingsFacts['results'], 'threshold'>> & { readonly threshold?: number | null };
      readonly pricePerMillion?: number | null;
      readonly dataFlow?: DataFlowOverview['mode'];
      readonly theme?: SettingsFacts['theme'];
      readonly startAtLogin?: boolean;
      readonly notifications?: boolean;
      readonly updates?: 'off' | 'notify' | 'install';
    };
    output: Nothing;
  };
}
