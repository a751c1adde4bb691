/** What the dashboard's setup may ask about the client apps of this machine. */
import type { JsonObject } from '../core/base/json.ts';
import type { AccessRow, AppRow, RpcMethods } from './contract.ts';

type Ask<M extends keyof RpcMethods> = (input: RpcMethods[M]['input']) => Promise<RpcMethods[M]['output']>;

export interface AppsService {
  readonly previewInstall: Ask<'previewInstall'>;
  readonly installApp: Ask<'installApp'>;
  readonly uninstallApp: Ask<'uninstallApp'>;
  readonly undoInstall: Ask<'undoInstall'>;
  readonly otherEntry: Ask<'otherEntry'>;
  readonly offeredServers: Ask<'offeredServers'>;
  /** With its secrets: for this process alone. Rejects with AppError not_found. */
  offeredEntry(id: string): Promise<JsonObject>;
  readonly importServers: Ask<'importServers'>;
  readonly rescan: Ask<'rescan'>;
  readonly setAccess: Ask<'setAccess'>;
  /** As they were found last. */
  apps(): Promise<readonly AppRow[]>;
  access(): Promise<readonly AccessRow[]>;
  /** Apps or their servers were found or changed; returns how to stop listening. */
  onChange(listener: () => void): () => void;
}
