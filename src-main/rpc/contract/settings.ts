/** Requests about settings and modes, of all client apps and of one. */
import { z } from 'zod';
import { dataFlowMode } from './data-flow.ts';
import { count, flag, maybe, name, type Methods, type Nothing } from './fields.ts';

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
  readonly theme: z.output<typeof theme>;
  /** Desktop app only. */
  readonly startAtLogin: boolean | undefined;
  readonly notifications: boolean | undefined;
  readonly updates: z.output<typeof updates> | undefined;
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
  /** It reads its tools again when they change; else after a restart. */
  readonly refetchesLists: boolean;
  /** The only servers that it is shown; undefined: all. */
  readonly servers: readonly string[] | undefined;
}

const theme = z.enum(['system', 'light', 'dark']);
const updates = z.enum(['off', 'notify', 'install']);
const results = z
  .object({
    /** In bytes; null: the default of the client app. */
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
    /** The only servers that it is shown, stored as a profile; its sessions reconnect. */
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
  /** How one client app is served, by what it calls itself. */
  appSettings: AppSettings;
  /** Absent fields stay unchanged; null applies to all apps. Throws AppError `mode_unknown`. */
  setAppSettings: Nothing;
  setSettings: Nothing;
}

export type SettingsMethods = Methods<typeof settingsInputs, SettingsOutputs>;
