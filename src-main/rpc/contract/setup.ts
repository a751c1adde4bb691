/** Requests about this computer's client apps: installation, access, server import. */
import { z } from 'zod';
import type { OfferTest } from '../../core/admin/offer-tests.ts';
import type {
  AppRow,
  InstallOutcome,
  InstallPreview,
  ImportableServer,
  UninstallPreview,
} from '../../core/client-apps/app-rows.ts';
import type { FileChange, ImportOutcome } from '../../core/client-apps/import-servers.ts';
import type { RestoredFiles } from '../../core/client-apps/install.ts';
import { flag, id, maybe, name, nothing, text, type Methods, type Nothing, type Parsed } from './fields.ts';

export type { OfferTest } from '../../core/admin/offer-tests.ts';
export type {
  AccessRow,
  AppRow,
  InstallOutcome,
  InstallPreview,
  ImportableServer,
  UninstallPreview,
} from '../../core/client-apps/app-rows.ts';
export type { FileChange } from '../../core/client-apps/import-servers.ts';

export interface SetupFacts {
  /** Client apps found on this computer. */
  readonly apps: readonly AppRow[];
  /** Number of servers in client apps that have not been imported. */
  readonly offered: number;
  /** The first real call of a client app. */
  readonly firstCall: { readonly app: string; readonly tool: string; readonly at: number } | undefined;
  /** Open steps, as counted in the sidebar. */
  readonly open: number;
  /** Tests of importable servers since the core started. */
  readonly tests: readonly OfferTest[];
}

const chosenServers = z.array(z.object({ id, name })).max(500);
/** IDs of client apps to connect, and importable servers to move out of them. */
const setupChoice = z.object({ apps: z.array(name).max(100), servers: chosenServers });
export type SetupChoice = Parsed<typeof setupChoice>;

/** Schemas of the inputs. */
export const setupInputs = {
  previewInstall: z.object({ app: name, http: maybe(flag), split: maybe(flag) }),
  installApp: z.object({ app: name, revision: text, http: maybe(flag), split: maybe(flag) }),
  previewUninstall: z.object({ app: name }),
  uninstallApp: z.object({ app: name, revision: maybe(text) }),
  undoInstall: z.object({ undo: id }),
  disconnectAll: nothing,
  manualEntry: z.object({ app: z.string().regex(/^[\w.-]{1,60}$/), http: flag }),
  importableServers: nothing,
  testImportableServers: z.object({ ids: z.array(id).max(500) }),
  planSetup: setupChoice,
  applySetup: setupChoice.extend({ keepSecrets: maybe(flag) }),
  importServers: z.object({
    servers: chosenServers,
    move: flag,
    /** Whether texts that look like secrets are first moved to the vault and replaced by references. */
    keepSecrets: maybe(flag),
  }),
  rescan: nothing,
  setAccess: z.object({ app: name, allowed: flag }),
};

interface SetupOutputs {
  /**
   * `http`: connect over HTTP with the app's own token (masked here), or through the stdio shim; absent: unchanged,
   * otherwise stdio.
   */
  previewInstall: InstallPreview;
  installApp: InstallOutcome;
  previewUninstall: UninstallPreview;
  /** The preview's `revision` prevents writing to a file that has changed since. */
  uninstallApp: InstallOutcome;
  undoInstall: { readonly sentence: string };
  /**
   * Before an uninstall: restores every client app's file. The desktop app also removes its login item, the link
   * scheme, and the vault with its key, and quits. The config, records, and logs stay.
   */
  disconnectAll: RestoredFiles;
  /** The config entry for an unsupported app, to be copied: the shim's command, or the app's own URL with its token. */
  manualEntry: { readonly entry: string };
  importableServers: { readonly servers: readonly ImportableServer[] };
  /** Tests importable servers in the background; `setup.tests` reports progress. Writes nothing. */
  testImportableServers: Nothing;
  /** The changes that `applySetup` would make to the apps' files. Writes nothing. */
  planSetup: { readonly files: readonly FileChange[] };
  /**
   * Adds the servers, moves them out of these apps, and connects the apps, as one change that `undoInstall` reverts.
   */
  applySetup: ImportOutcome;
  importServers: ImportOutcome;
  /** Detects client apps and their servers again, and ends the sessions of apps that have no access any more. */
  rescan: Nothing;
  /** Revokes an app's access and closes its sessions, or restores it; its config file is unchanged. */
  setAccess: { readonly sentence: string };
}

export type SetupMethods = Methods<typeof setupInputs, SetupOutputs>;
