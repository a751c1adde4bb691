/** The one thing that mends a server, or whatever else waits for a person: done at once, or by going where it is done. */
import type { AttentionAction } from '../../src-main/rpc/contract.ts';
import { api } from './api.ts';
import { routes } from './routes.svelte.ts';
import type { ToastStore } from './toasts.svelte.ts';

/** Never rejects: what goes wrong is said in a toast. */
export function act(kind: AttentionAction['kind'], server: string | undefined, toasts: ToastStore): Promise<boolean> {
  return toasts.attempt(() => (server === undefined ? actOnCore(kind) : actOnServer(kind, server, toasts)));
}

async function actOnServer(kind: AttentionAction['kind'], server: string, toasts: ToastStore): Promise<void> {
  if (kind === 'retry') await api.ask('retry', { server });
  else if (kind === 'sign-in') continueInBrowser((await api.ask('signIn', { server })).url, toasts);
  else if (kind === 'enable') await api.ask('setServerEnabled', { server, enabled: true });
  else if (kind === 'heal' || kind === 'review') routes.go('inbox', 'server', server);
  else if (kind === 'edit-config') routes.go('servers', server, 'config');
  else if (kind === 'view-log') routes.go('servers', server, 'log');
  else await actOnCore(kind);
}

async function actOnCore(kind: AttentionAction['kind']): Promise<void> {
  if (kind === 'resume') await api.ask('setPaused', { paused: false });
  else if (kind === 'connect-app') routes.go('setup', 'apps');
  else routes.go('settings');
}

/** Only an address of the web: it comes from the server. */
export function continueInBrowser(url: string, toasts: ToastStore): void {
  if (!/^https?:\/\//i.test(url))
    return void toasts.show({ text: 'The server gave no address to sign in at.', failed: true });
  // The desktop app opens it in the person's browser and answers with no window.
  const opened = window.open(url, '_blank');
  if (opened !== null) opened.opener = null;
  else if (window.tooltray === undefined) {
    toasts.show({
      text: 'Your browser held the sign-in page back.',
      link: { label: 'Sign in', href: url },
      stayMs: 60_000,
    });
  }
}
