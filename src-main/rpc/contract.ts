/**
 * The contract between the core and its clients (dashboard, tray, command line): the requests, their inputs and outputs,
 * and the published state. Types only: of src-main, the renderer imports this file alone.
 */
import type { CoreContract } from './contract/core.ts';
import type { ServersContract } from './contract/servers.ts';
import type { ToolsContract } from './contract/tools.ts';
import type { InboxContract } from './contract/inbox.ts';
import type { SetupContract } from './contract/setup.ts';
import type { SettingsContract } from './contract/settings.ts';
import type { SpillsContract } from './contract/spills.ts';
import type { ActivityContract } from './contract/activity.ts';
import type { TimelineContract } from './contract/timeline.ts';
import type { SavingsContract } from './contract/savings.ts';
import type { AuditContract } from './contract/audit.ts';
import type { DataFlowContract } from './contract/data-flow.ts';
import type { ProfilesContract } from './contract/profiles.ts';
import type { SecretsContract } from './contract/secrets.ts';
import type { RegistryContract } from './contract/registry.ts';
import type { TeamContract } from './contract/team.ts';
import type { RunsContract } from './contract/runs.ts';
import type { AppViewsContract } from './contract/app-views.ts';
import type { FindContract } from './contract/find.ts';

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
export type RpcMethods = CoreContract &
  ServersContract &
  ToolsContract &
  InboxContract &
  SetupContract &
  SettingsContract &
  SpillsContract &
  ActivityContract &
  TimelineContract &
  SavingsContract &
  AuditContract &
  DataFlowContract &
  ProfilesContract &
  SecretsContract &
  RegistryContract &
  TeamContract &
  RunsContract &
  AppViewsContract &
  FindContract;
export type RpcMethod = keyof RpcMethods;

export interface CoreAccess {
  /** Rejects with AppError. */
  ask<M extends RpcMethod>(method: M, input: RpcMethods[M]['input']): Promise<RpcMethods[M]['output']>;
  close(): Promise<void>;
}
