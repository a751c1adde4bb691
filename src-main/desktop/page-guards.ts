/** What no page may do, ours included: leave for another address, open windows, embed pages, use the machine's devices. */
import type { App, Session, WebContents } from 'electron';
import { dashboardOrigin } from './dashboard-places.ts';

export interface GuardDeps {
  readonly app: Pick<App, 'on'>;
  readonly session: Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler'>;
  /** Opens an address in the person's browser. */
  readonly openBrowser: (url: string) => void;
}

/** Copying is what buttons of the dashboard do. */
const allowed: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);

export function guardPages({ app, session, openBrowser }: GuardDeps): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(allowed.has(permission)));
  session.setPermissionCheckHandler((_contents, permission) => allowed.has(permission));
  app.on('web-contents-created', (_event, contents) => guard(contents, openBrowser));
}

function guard(contents: WebContents, openBrowser: (url: string) => void): void {
  contents.on('will-frame-navigate', (event) => {
    if (!event.url.startsWith(dashboardOrigin)) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    // Links in what servers say are shown as text; those we write ourselves go to the person's own browser.
    if (url.startsWith('https://')) openBrowser(url);
    return { action: 'deny' };
  });
}
