/** Requests about the client apps of this machine: installation, access, import of their servers. */
import type { OfferTest } from '../../core/admin/offer-tests.ts';
import type {
  AppRow,
  InstallOutcome,
  InstallPreview,
  OfferedServer,
  UninstallPreview,
} from '../../core/client-apps/app-rows.ts';
import type { FileChange, ImportOutcome } from '../../core/client-apps/import-servers.ts';
import type { RestoredFiles } from '../../core/client-apps/install.ts';
import type { Nothing } from './nothing.ts';

export type { OfferTest } from '../../core/admin/offer-tests.ts';
export type {
  AccessRow,
  AppRow,
  InstallOutcome,
  InstallPreview,
  OfferedServer,
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

/** Client apps to connect, by id, and the offered servers that move out of them. */
export interface SetupChoice {
  readonly apps: readonly string[];
  readonly servers: readonly { readonly id: string; readonly name: string }[];
}

export interface SetupContract {
  /**
   * `http`: by an address of the app's own with a token, which is masked here, or by a command; absent: as it is, else
   * by a command.
   */
  previewInstall: { input: { readonly app: string; readonly http?: boolean }; output: InstallPreview };
  installApp: {
    input: { readonly app: string; readonly revision: string; readonly http?: boolean };
    output: InstallOutcome;
  };
  previewUninstall: { input: { readonly app: string }; output: UninstallPreview };
  /** With the preview's `revision` a file that has changed since is refused. */
  uninstallApp: { input: { readonly app: string; readonly revision?: string }; output: InstallOutcome };
  undoInstall: { input: { readonly undo: string }; output: { readonly sentence: string } };
  /**
   * Before an uninstall: restores every client app's file. The desktop app also removes its login item, the link
   * scheme, and the vault with its key, and quits. The config, records, and logs stay.
   */
  disconnectAll: { input: Nothing; output: RestoredFiles };
  /**
   * The entry for an app that is not known, to be copied: our launcher as it is here, or the app's own address with its
   * token.
   */
  otherEntry: { input: { readonly app: string; readonly http: boolean }; output: { readonly entry: string } };
  offeredServers: { input: Nothing; output: { readonly servers: readonly OfferedServer[] } };
  /** Tests offered servers in the background; `setup.tests` reports their stages. Writes nothing. */
  testOffers: { input: { readonly ids: readonly string[] }; output: Nothing };
  /** The changes of the apps' files that `applySetup` would make. Writes nothing. */
  planSetup: { input: SetupChoice; output: { readonly files: readonly FileChange[] } };
  /** Adds the servers, moves them out of these apps, and connects the apps: one change, reverted by `undoInstall`. */
  applySetup: { input: SetupChoice & { readonly keepSecrets?: boolean }; output: ImportOutcome };
  importServers: {
    input: {
      readonly servers: readonly { readonly id: string; readonly name: string }[];
      readonly move: boolean;
      /** Whether texts that look like secrets are moved to the vault first, with references in the config. */
      readonly keepSecrets?: boolean;
    };
    output: ImportOutcome;
  };
  /** Looks for client apps and their servers anew. */
  rescan: { input: Nothing; output: Nothing };
  /** Takes an app's access back, its open sessions with it, or gives it back; its config file stays as it is. */
  setAccess: {
    input: { readonly app: string; readonly allowed: boolean };
    output: { readonly sentence: string };
  };
}
