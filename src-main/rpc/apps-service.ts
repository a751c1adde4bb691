/** What the dashboard's setup may ask about the client apps of this machine. */
import type { AppRow, DashboardContract } from './contract.ts';

type Ask<M extends keyof DashboardContract> = (
  input: DashboardContract[M]['input'],
) => Promise<DashboardContract[M]['output']>;

export interface AppsService {
  readonly previewInstall: Ask<'previewInstall'>;
  readonly installApp: Ask<'installApp'>;
  readonly uninstallApp: Ask<'uninstallApp'>;
  readonly undoInstall: Ask<'undoInstall'>;
  readonly offeredServers: Ask<'offeredServers'>;
  readonly importServers: Ask<'importServers'>;
  readonly rescan: Ask<'rescan'>;
  /** As they were found last. */
  apps(): Promise<readonly AppRow[]>;
  /** Apps or their servers were found or changed; returns how to stop listening. */
  onChange(listener: () => void): () => void;
}
