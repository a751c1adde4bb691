/**
 * The user's actions on servers and on Tooltray, used by pages and the palette. They never reject: errors are shown in
 * a toast.
 */
import type { AttentionAction } from '../../src-main/rpc/contract.ts';
import { api } from './api.ts';
import { modeName } from './format.ts';
import { routes } from './routes.svelte.ts';
import { shortMessage, type ToastStore } from './toasts.svelte.ts';

/** Runs the suggested action for a server or another item, or navigates to where it is done. */
export function act(action: Action, server: string | undefined, toasts: ToastStore): Promise<boolean> {
  return toasts.attempt(() => (server === undefined ? actOnCore(action.kind) : actOnServer(action, server, toasts)));
}

type Action = Pick<AttentionAction, 'kind' | 'clears'>;

async function actOnServer({ kind, clears }: Action, server: string, toasts: ToastStore): Promise<void> {
  if (kind === 'retry') await api.ask('restart', { server, ...(clears !== undefined && { clear: true }) });
  else if (kind === 'sign-in') continueInBrowser((await api.ask('signIn', { server })).url, toasts);
  else if (kind === 'enable') await api.ask('setServerEnabled', { server, enabled: true });
  else if (kind === 'heal' || kind === 'review') routes.go('inbox', 'server', server);
  else if (kind === 'edit-config') routes.go('servers', server, 'config');
  else if (kind === 'add-secret') routes.go('servers', server);
  else if (kind === 'view-log') routes.go('servers', server, 'log');
  else await actOnCore(kind);
}

async function actOnCore(kind: AttentionAction['kind']): Promise<void> {
  if (kind === 'resume') await api.ask('setPaused', { paused: false });
  else if (kind === 'connect-app') routes.go('setup', 'apps');
  else if (kind === 'restore-config') await api.ask('restoreConfig', {});
  else if (kind === 'open-spills') routes.go('spills');
  else routes.go('settings');
}

/** Shows no message on success, because the server's state shows it. */
export function restart(server: string, toasts: ToastStore): Promise<boolean> {
  return toasts.attempt(() => api.ask('restart', { server }), shortMessage);
}

export function stop(server: string, toasts: ToastStore): Promise<boolean> {
  return toasts.attempt(async () => {
    await api.ask('stopServer', { server });
    toasts.show({ text: `${server} stopped. It starts again on the next call.` });
  }, shortMessage);
}

export function setEnabled(server: string, enabled: boolean, toasts: ToastStore): Promise<boolean> {
  return toasts.attempt(() => api.ask('setServerEnabled', { server, enabled }), shortMessage);
}

export function signOut(server: string, toasts: ToastStore): Promise<boolean> {
  return toasts.attempt(async () => {
    const { sentence } = await api.ask('signOut', { server });
    toasts.show({ text: sentence });
  });
}

export function setPaused(paused: boolean, toasts: ToastStore): Promise<boolean> {
  return toasts.attempt(() => api.ask('setPaused', { paused }), shortMessage);
}

/** Changes the default mode; `before`: restored by Undo. */
export function setMode(mode: string, before: string, toasts: ToastStore): Promise<boolean> {
  return toasts.attempt(async () => {
    await api.ask('setMode', { mode });
    toasts.show({ text: `Mode set to ${modeName(mode)}.`, undo: () => void setMode(before, mode, toasts) });
  });
}

/** Opens only web URLs, because the URL comes from the server. */
export function continueInBrowser(url: string, toasts: ToastStore): void {
  if (!/^https?:\/\//i.test(url))
    return void toasts.show({ text: 'The server did not provide a sign-in URL.', failed: true });
  // The desktop app opens it in the user's browser and returns no window.
  const opened = window.open(url, '_blank');
  if (opened !== null) opened.opener = null;
  else if (window.tooltray === undefined) {
    toasts.show({
      text: 'Your browser blocked the sign-in page.',
      link: { label: 'Sign in', href: url },
      stayMs: 60_000,
    });
  }
}
