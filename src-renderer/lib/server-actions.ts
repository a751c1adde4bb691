/**
 * What a user does with servers and with Tooltray as a whole, from its page or by its name. None of it rejects: what
 * goes wrong is said in a toast.
 */
import type { AttentionAction } from '../../src-main/rpc/contract.ts';
import { api } from './api.ts';
import { modeName } from './format.ts';
import { routes } from './routes.svelte.ts';
import { shortMessage, type ToastStore } from './toasts.svelte.ts';

/** The one thing that fixes a server, or whatever else waits for a user: done at once, or by going where it is done. */
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

/** What comes of it is told by the server's state. */
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

/** How apps are shown the tools from now on; `before`: what Undo leads back to. */
export function setMode(mode: string, before: string, toasts: ToastStore): Promise<boolean> {
  return toasts.attempt(async () => {
    await api.ask('setMode', { mode });
    toasts.show({ text: `Mode set to ${modeName(mode)}.`, undo: () => void setMode(before, mode, toasts) });
  });
}

/** Only an address of the web: it comes from the server. */
export function continueInBrowser(url: string, toasts: ToastStore): void {
  if (!/^https?:\/\//i.test(url))
    return void toasts.show({ text: 'The server did not provide a sign-in URL.', failed: true });
  // The desktop app opens it in the user's browser and answers with no window.
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
