/** Does what a row of the tray or a notification stands for. */
import type { RpcMethod, RpcMethods } from '../rpc/contract.ts';
import type { AttentionItem } from '../rpc/contract.ts';
import type { TrayAction } from './tray-menu.ts';

export interface ActDeps {
  readonly ask: <M extends RpcMethod>(method: M, input: RpcMethods[M]['input']) => Promise<RpcMethods[M]['output']>;
  readonly openDashboard: (place: string) => void;
  readonly openBrowser: (url: string) => Promise<void>;
  readonly restartToUpdate: () => void;
  readonly quit: () => void;
}

/** Rejects with AppError where the core refuses. */
export async function act(action: TrayAction, deps: ActDeps): Promise<void> {
  switch (action.kind) {
    case 'open':
      return deps.openDashboard(action.place);
    case 'fix':
      return fix(action.item, deps);
    case 'mode':
      return void (await deps.ask('setMode', { mode: action.mode }));
    case 'pause':
      return void (await deps.ask('setPaused', { paused: action.paused }));
    case 'update':
      return deps.restartToUpdate();
    case 'quit':
      return deps.quit();
  }
}

async function fix(item: AttentionItem, { ask, openDashboard, openBrowser }: ActDeps): Promise<void> {
  const { server, action } = item;
  if (server !== undefined && action.kind === 'sign-in') return openBrowser((await ask('signIn', { server })).url);
  if (server !== undefined && action.kind === 'retry') return void (await ask('retry', { server }));
  if (server !== undefined && action.kind === 'heal') return void (await ask('heal', { server }));
  if (server !== undefined && action.kind === 'enable') {
    return void (await ask('setServerEnabled', { server, enabled: true }));
  }
  if (action.kind === 'open-config') return void (await ask('reveal', { what: 'config' }));
  openDashboard(placeOf(item));
}

/** Where in the dashboard a person can do something about it. */
export function placeOf({ server, action }: AttentionItem): string {
  if (action.kind === 'connect-app') return 'setup';
  if (server === undefined) return 'overview';
  const tab = { 'view-log': '/log', 'edit-config': '/config' } as const;
  const suffix = action.kind === 'view-log' || action.kind === 'edit-config' ? tab[action.kind] : '';
  return `servers/${encodeURIComponent(server)}${suffix}`;
}
