/** Starts the built desktop app in a separate home, with its window, tray, and client apps. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';
import type { Menu } from 'electron';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** Path of the built app; TOOLTRAY_APP selects another one. */
export const root = process.env['TOOLTRAY_APP'] ?? join(import.meta.dirname, '../..');

/** The menu stored by keep-tray.cjs in the app's main process. */
type WithTray = typeof globalThis & { readonly trayMenu?: Menu };

export interface OpenOptions {
  /** The home of an earlier start, which is then kept. */
  readonly home?: string;
  readonly servers?: Readonly<Record<string, unknown>>;
  readonly words?: readonly string[];
  /** In addition to the test's own. */
  readonly env?: Readonly<Record<string, string>>;
}

export function makeHome(servers: Readonly<Record<string, unknown>> = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'tooltray-desktop-'));
  writeFileSync(join(home, 'config.json'), JSON.stringify({ port: 0, mode: 'proxy', servers }, null, 2));
  return home;
}

export class Desktop implements AsyncDisposable {
  readonly app: ElectronApplication;
  readonly home: string;
  readonly #clients: Client[] = [];
  readonly #ownsHome: boolean;

  private constructor(app: ElectronApplication, home: string, ownsHome: boolean) {
    this.app = app;
    this.home = home;
    this.#ownsHome = ownsHome;
  }

  static async open({ home, servers, words = [], env = {} }: OpenOptions = {}): Promise<Desktop> {
    const folder = home ?? makeHome(servers);
    const args = ['-r', join(import.meta.dirname, 'keep-tray.cjs'), root, ...words];
    const app = await _electron.launch({ args, cwd: root, env: { ...envOf(folder), ...env } });
    return new Desktop(app, folder, home === undefined);
  }

  /** The dashboard in the open window, or in the next one. */
  async page(): Promise<Page> {
    const page = this.app.windows()[0] ?? (await this.app.waitForEvent('window'));
    await page.waitForFunction(() => window.tooltray !== undefined);
    return page;
  }

  /** The labels of the tray's items; a submenu's items follow it. */
  trayLabels(): Promise<string[]> {
    return this.app.evaluate(() => {
      const labels = (menu: Menu): string[] =>
        menu.items.flatMap(({ label, type, submenu }) => [
          type === 'separator' ? '—' : label,
          ...(submenu ? labels(submenu) : []),
        ]);
      const { trayMenu } = globalThis as WithTray;
      return trayMenu === undefined ? [] : labels(trayMenu);
    });
  }

  async clickTray(id: string): Promise<void> {
    await this.app.evaluate((_electron, row) => {
      const item = (globalThis as WithTray).trayMenu?.getMenuItemById(row);
      if (!item) throw new Error(`The tray has no row ${row}.`);
      (item as unknown as { click(): void }).click();
    }, id);
  }

  isChosen(id: string): Promise<boolean> {
    return this.app.evaluate(
      (_electron, row) => (globalThis as WithTray).trayMenu?.getMenuItemById(row)?.checked ?? false,
      id,
    );
  }

  windowCount(): Promise<number> {
    return this.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);
  }

  /** Starts the app once more, like a user; resolves with its exit code. */
  async startAgain(...words: string[]): Promise<number | null> {
    const program = createRequire(import.meta.url)('electron') as unknown as string;
    const second = spawn(program, ['--no-sandbox', root, ...words], {
      cwd: root,
      env: envOf(this.home),
      stdio: 'ignore',
    });
    const timer = setTimeout(() => second.kill('SIGKILL'), 20_000);
    await once(second, 'exit');
    clearTimeout(timer);
    return second.exitCode;
  }

  /** A real client app, connected through the built shim. */
  async connect(onListChanged?: () => void): Promise<Client> {
    const client = new Client({ name: 'desktop-test', version: '1.0.0' });
    if (onListChanged) client.setNotificationHandler('notifications/tools/list_changed', onListChanged);
    const env = { ...envOf(this.home), TOOLTRAY_CORE_COMMAND: JSON.stringify(['false']) };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [join(root, 'dist/shim.cjs')], env }),
    );
    this.#clients.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.app.close().catch(() => undefined);
    if (this.#ownsHome) rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

export function envOf(home: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([, value]) => value !== undefined) as [string, string][];
  return { ...Object.fromEntries(inherited), TOOLTRAY_HOME: home };
}
