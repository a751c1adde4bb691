/**
 * The contract between the core and its clients (dashboard, tray, command line): the requests, their inputs and outputs,
 * and the published state. Each subject has a file in `contract`. Types only: of `src-main`, the renderer imports this
 * file alone.
 */
import type { CoreMethods } from './contract/core.ts';
import type { ServerMethods } from './contract/servers.ts';
import type { ToolMethods } from './contract/tools.ts';
import type { InboxMethods } from './contract/inbox.ts';
import type { SetupMethods } from './contract/setup.ts';
import type { SettingsMethods } from './contract/settings.ts';
import type { SpillMethods } from './contract/spills.ts';
import type { ActivityMethods } from './contract/activity.ts';
import type { TimelineMethods } from './contract/timeline.ts';
import type { SavingsMethods } from './contract/savings.ts';
import type { AuditMethods } from './contract/audit.ts';
import type { DataFlowMethods } from './contract/data-flow.ts';
import type { ProfileMethods } from './contract/profiles.ts';
import type { SecretMethods } from './contract/secrets.ts';
import type { RegistryMethods } from './contract/registry.ts';
import type { TeamMethods } from './contract/team.ts';
import type { RunMethods } from './contract/runs.ts';
import type { AppViewMethods } from './contract/app-views.ts';
import type { FindMethods } from './contract/find.ts';

export type * from './contract/app-state.ts';
export type * from './contract/core.ts';
export type * from './contract/servers.ts';
export type * from './contract/tools.ts';
export type * from './contract/inbox.ts';
export type * from './contract/setup.ts';
export type * from './contract/settings.ts';
export type * from './contract/spills.ts';
export type * from './contract/activity.ts';
export type * from './contract/timeline.ts';
export type * from './contract/savings.ts';
export type * from './contract/audit.ts';
export type * from './contract/data-flow.ts';
export type * from './contract/profiles.ts';
export type * from './contract/secrets.ts';
export type * from './contract/registry.ts';
export type * from './contract/team.ts';
export type * from './contract/runs.ts';
export type * from './contract/app-views.ts';
export type * from './contract/find.ts';

/** Every request: its name, input, and output. */
export type RpcMethods = CoreMethods &
  ServerMethods &
  ToolMethods &
  InboxMethods &
  SetupMethods &
  SettingsMethods &
  SpillMethods &
  ActivityMethods &
  TimelineMethods &
  SavingsMethods &
  AuditMethods &
  DataFlowMethods &
  ProfileMethods &
  SecretMethods &
  RegistryMethods &
  TeamMethods &
  RunMethods &
  AppViewMethods &
  FindMethods;
export type RpcMethod = keyof RpcMethods;

export interface CoreAccess {
  /** Rejects with AppError. */
  ask<M extends RpcMethod>(method: M, input: RpcMethods[M]['input']): Promise<RpcMethods[M]['output']>;
  close(): Promise<void>;
}
