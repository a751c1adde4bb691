/** Requests about registries, which list servers that can be added. */
import type { EntryProbe as ServerTrialResult } from '../../core/admin/probe-entry.ts';
import type { RegistryConfig } from '../../core/config/app-config.ts';
import type { InstallOption } from '../../core/registry/parse-option.ts';
import type { RegistryServer } from '../../core/registry/registry-server.ts';
import type { AddServerOutcome, InstallPreviewDetails } from '../../core/registry/registry-service.ts';
import type { Nothing } from './nothing.ts';

export type { RegistryConfig } from '../../core/config/app-config.ts';
export type { RegistryInput } from '../../core/registry/parse-input.ts';
export type { InstallOption } from '../../core/registry/parse-option.ts';
export type { AddServerOutcome, InstallPreviewDetails } from '../../core/registry/registry-service.ts';

/** A server as its publisher describes it: all texts are theirs, so show them as text, never as HTML. */
export interface RegistryRow extends Omit<RegistryServer, 'options'> {
  readonly options: readonly InstallOption[];
}

/** One way to run one version of a server, and what the person answered: by the ids of inputs, secrets too. */
export interface RegistrySelection {
  readonly registry?: string;
  readonly server: string;
  readonly version: string;
  readonly option: string;
  readonly answers: Readonly<Record<string, string>>;
}

/** Whatever a registry does not answer is an error (`registry_failed`), never an empty list. */
export interface RegistryContract {
  /** The first is asked where none is named. */
  registries: { input: Nothing; output: { readonly registries: readonly RegistryConfig[] } };
  registrySearch: {
    input: { readonly registry?: string; readonly query: string; readonly limit?: number; readonly cursor?: string };
    /** `next`: the cursor of what follows. `unreadable`: entries that are no servers, and are left out. */
    output: {
      readonly registry: string;
      readonly servers: readonly RegistryRow[];
      readonly unreadable: number;
      readonly next?: string;
    };
  };
  /** `name`: what it could be called here. */
  registryServer: {
    input: { readonly registry?: string; readonly server: string; readonly version?: string };
    output: { readonly registry: string; readonly server: RegistryRow; readonly name: string };
  };
  /** The exact command or address, verbatim; nothing is started or reached. */
  registryPreview: { input: RegistrySelection; output: InstallPreviewDetails };
  /** Starts it once; nothing is kept. */
  registryTry: { input: RegistrySelection; output: ServerTrialResult };
  /** Tries it and keeps it, secrets in the vault; `untried`: keeps it without, in review. */
  registryAdd: {
    input: RegistrySelection & { readonly name: string; readonly untried?: boolean };
    output: AddServerOutcome;
  };
}
