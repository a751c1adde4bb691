/** Requests about the client apps of this machine: installation, access, import of their servers. */
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
  /** Client apps found on this machine. */
  readonly apps: readonly AppRow[];
  /** Servers defined in client apps that are not here yet. */
  readonly offered: number;
  /** The first real call of a client app. */
  readonly firstCall: { readonly app: string; readonly tool: string; readonly at: number } | undefined;
  /** Steps that are open: what the sidebar counts. */
  readonly open: number;
  /** Tests of offered servers since the core started. */
  readonly tests: readonly OfferTest[];
}

const chosenServers = z.array(z.object({ id, name })).max(500);
/** Client apps to connect, by id, and the importable servers that move out of them. */
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
    /** Whether texts that look like secrets are moved to the vault first, with references in the config. */
    keepSecrets: maybe(flag),
  }),
  rescan: nothing,
  setAccess: z.object({ app: name, allowed: flag }),
};

interface SetupOutputs {
  /**
   * `http`: by an address of the app's own with a token, which is masked here, or by a command; absent: as it is, else
   * by a command.
   */
  previewInstall: InstallPreview;
  installApp: InstallOutcome;
  previewUninstall: UninstallPreview;
  /** With the preview's `revision` a file that has changed since is refused. */
  uninstallApp: InstallOutcome;
  undoInstall: { readonly sentence: string };
  /**
   * Before an uninstall: restores every client app's file. The desktop app also removes its login item, the link
   * scheme, and the vault with its key, and quits. The config, records, and logs stay.
   */
  disconnectAll: RestoredFiles;
  /**
   * The entry for an app that is not known, to be copied: our launcher as it is here, or the app's own address with its
   * token.
   */
  manualEntry: { readonly entry: string };
  importableServers: { readonly servers: readonly ImportableServer[] };
  /** Tests offered servers in the background; `setup.tests` reports their stages. Writes nothing. */
  testImportableServers: Nothing;
  /** The changes of the apps' files that `applySetup` would make. Writes nothing. */
  planSetup: { readonly files: readonly FileChange[] };
  /** Adds the servers, moves them out of these apps, and connects the apps: one change, reverted by `undoInstall`. */
  applySetup: ImportOutcome;
  importServers: ImportOutcome;
  /** Looks for client apps and their servers again. */
  rescan: Nothing;
  /** Takes an app's access back, its open sessions with it, or gives it back; its config file stays as it is. */
  setAccess: { readonly sentence: string };
}

export type SetupMethods = Methods<typeof setupInputs, SetupOutputs>;
