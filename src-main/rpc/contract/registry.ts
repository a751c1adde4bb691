/** Requests about registries of installable servers. */
import { z } from 'zod';
import type { EntryProbe as ServerTrialResult } from '../../core/admin/probe-entry.ts';
import type { RegistryConfig } from '../../core/config/app-config.ts';
import type { InstallOption } from '../../core/registry/parse-option.ts';
import type { RegistryServer } from '../../core/registry/registry-server.ts';
import type { AddServerOutcome, InstallPreviewDetails } from '../../core/registry/registry-service.ts';
import { count, flag, id, maybe, name, nothing, text, type Methods, type Parsed } from './fields.ts';

export type { RegistryConfig } from '../../core/config/app-config.ts';
export type { RegistryInput } from '../../core/registry/parse-input.ts';
export type { InstallOption } from '../../core/registry/parse-option.ts';
export type { AddServerOutcome, InstallPreviewDetails } from '../../core/registry/registry-service.ts';

/** A server as described by its publisher: show all texts as text, never as HTML. */
export interface RegistryRow extends Omit<RegistryServer, 'options'> {
  readonly options: readonly InstallOption[];
}

/** One way to run one version of a server. */
const selection = z.object({
  registry: maybe(name),
  server: name,
  version: text,
  option: name,
  /** Values that the user entered, by input ID, including secrets. */
  inputs: z.record(name, z.string().max(100_000)),
});
export type RegistrySelection = Parsed<typeof selection>;

/** Schemas of the inputs. */
export const registryInputs = {
  registries: nothing,
  registrySearch: z.object({
    registry: maybe(name),
    query: name.or(z.literal('')),
    limit: maybe(count.min(1).max(100)),
    cursor: maybe(id),
  }),
  registryServer: z.object({ registry: maybe(name), server: name, version: maybe(name) }),
  registryPreview: selection,
  registryTest: selection,
  registryAdd: selection.extend({ name, untested: maybe(flag) }),
};

/** A failed registry request is an error (`registry_failed`), never an empty list. */
interface RegistryOutputs {
  /** The first is the default. */
  registries: { readonly registries: readonly RegistryConfig[] };
  /** `next`: cursor of the next page. `unreadable`: number of omitted invalid entries. */
  registrySearch: {
    readonly registry: string;
    readonly servers: readonly RegistryRow[];
    readonly unreadable: number;
    readonly next?: string;
  };
  /** `name`: suggested name for the server. */
  registryServer: { readonly registry: string; readonly server: RegistryRow; readonly name: string };
  /** The exact command or URL, verbatim; nothing is started or contacted. */
  registryPreview: InstallPreviewDetails;
  /** Starts it once without saving anything. */
  registryTest: ServerTrialResult;
  /** Tests and saves it, with secrets in the vault; `untested`: saves it without a test, in review. */
  registryAdd: AddServerOutcome;
}

export type RegistryMethods = Methods<typeof registryInputs, RegistryOutputs>;
