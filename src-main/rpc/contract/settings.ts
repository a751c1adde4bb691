/** Requests about settings and modes, for all client apps and for one. */
import { z } from 'zod';
import { dataFlowMode } from './data-flow.ts';
import { count, flag, maybe, name, type Methods, type Nothing } from './fields.ts';

export interface ModesOverview {
  /** Configured mode. */
  readonly mode: string;
  readonly modes: readonly ModeCard[];
}

export interface ModeCard {
  readonly name: string;
  readonly line: string;
  /** With the current servers: number of listed tools, and estimated tokens of list and instructions. */
  readonly tools: number;
  readonly tokens: number;
  /** `auto` only: its choice for an unknown app, and why. */
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
  /** Which changes models may make and which need approval, as sentences. */
  readonly changeRule: string;
  readonly pricePerMillion: number | undefined;
  readonly theme: z.output<typeof theme>;
  /** Desktop app only. */
  readonly startAtLogin: boolean | undefined;
  readonly notifications: boolean | undefined;
  readonly updates: z.output<typeof updates> | undefined;
}

/** Settings of one client app, configured and effective. */
export interface AppSettings {
  readonly appName: string;
  /** The app's own mode; undefined: the default. */
  readonly mode: string | undefined;
  /** Mode of apps without their own. */
  readonly defaultMode: string;
  /** With the cost of each for this app. */
  readonly modes: readonly ModeCard[];
  /** Spill threshold of this app in bytes, 0: never; undefined: the default. */
  readonly threshold: number | undefined;
  /** The default threshold. */
  readonly defaultThreshold: number;
  /** Whether the app reads its tool list again when it changes; otherwise after a restart. */
  readonly refetchesLists: boolean;
  /** The only servers visible to the app; undefined: all. */
  readonly servers: readonly string[] | undefined;
}

const theme = z.enum(['system', 'light', 'dark']);
const updates = z.enum(['off', 'notify', 'install']);
const results = z
  .object({
    /** In bytes; null: the client app's default. */
    threshold: maybe(count.nullable()),
    toon: maybe(flag),
    clean: maybe(flag),
    retentionDays: maybe(z.number().positive()),
    maxBytes: maybe(count.min(1)),
    deleteOnExit: maybe(flag),
  })
  .strict();

/** Schemas of the inputs. */
export const settingsInputs = {
  setMode: z.object({ mode: name }),
  appSettings: z.object({ app: name }),
  setAppSettings: z.object({
    app: name,
    mode: maybe(name.nullable()),
    threshold: maybe(count.nullable()),
    /** The only servers visible to it, stored as a profile; its sessions reconnect. */
    servers: maybe(z.array(name).max(1000).nullable()),
  }),
  setSettings: z.object({
    results: maybe(results),
    pricePerMillion: maybe(z.number().min(0).nullable()),
    dataFlow: maybe(dataFlowMode),
    theme: maybe(theme),
    startAtLogin: maybe(flag),
    notifications: maybe(flag),
    updates: maybe(updates),
  }),
};

interface SettingsOutputs {
  setMode: Nothing;
  /** Settings of one client app, by the name that it reports. */
  appSettings: AppSettings;
  /** Absent fields stay unchanged; a null `app` changes the default. Throws AppError `mode_unknown`. */
  setAppSettings: Nothing;
  setSettings: Nothing;
}

export type SettingsMethods = Methods<typeof settingsInputs, SettingsOutputs>;
