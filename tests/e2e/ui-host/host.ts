/**
 * An app that shows tools' views, in a browser: serves its page, which is the SDK's host code, and connects it to a
 * core.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import type { FrameLocator, Page } from '@playwright/test';
import { build, type Rolldown } from 'vite';
import type { ServedCore } from '../serve-core.ts';
import type { Connecting, ListedTool, Showing, Shown } from './page.ts';

/** Scripts by URL: the page's, and that of the frame around a view. */
type Scripts = Readonly<Record<string, string>>;

export async function bundleScripts(): Promise<Scripts> {
  const input = { page: join(import.meta.dirname, 'page.ts'), sandbox: join(import.meta.dirname, 'sandbox.ts') };
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, modulePreload: false, rolldownOptions: { input } },
  });
  const { output } = built as Rolldown.RolldownOutput;
  return Object.fromEntries(output.flatMap((one) => (one.type === 'chunk' ? [[`/${one.name}.js`, one.code]] : [])));
}

export class UiHost implements AsyncDisposable {
  readonly #page: Page;
  readonly #core: ServedCore;
  readonly #server: Server;
  readonly #shims: Map<string, Writable>;

  private constructor(page: Page, core: ServedCore, server: Server, shims: Map<string, Writable>) {
    this.#page = page;
    this.#core = core;
    this.#server = server;
    this.#shims = shims;
  }

  static async open(page: Page, core: ServedCore, scripts: Scripts): Promise<UiHost> {
    const token = await core.token();
    const server = createServer((asked, response) => {
      const { url = '/' } = asked;
      const name = url === '/sandbox.html' ? 'sandbox' : 'page';
      if (url.startsWith('/mcp')) passOn(asked, response, new URL(url, core.link), token);
      else if (scripts[url] !== undefined) response.setHeader('content-type', 'text/javascript').end(scripts[url]);
      else
        response
          .setHeader('content-type', 'text/html')
          .end(`<!doctype html><body><script src="/${name}.js" type="module"></script>`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const shims = new Map<string, Writable>();
    await page.exposeFunction('toShim', (line: string, text: string) => void shims.get(line)?.write(`${text}\n`));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return new UiHost(page, core, server, shims);
  }

  /** `where`: the shim's arguments, or the path of the endpoint. */
  async connect(line: string, name: string, era: Connecting['era'], where: readonly string[] | string): Promise<void> {
    const path = typeof where === 'string' ? where : undefined;
    if (typeof where !== 'string') {
      const shim = this.#core.startShim(...where);
      this.#shims.set(line, shim.stdin);
      createInterface({ input: shim.stdout }).on('line', (text) => {
        // Messages after the page has closed are dropped.
        this.#page.evaluate((heard) => uiHost.heard(...heard), [line, text] as [string, string]).catch(() => undefined);
      });
    }
    await this.#page.evaluate((wish) => uiHost.connect(wish), { line, name, era, path });
  }

  tools(line: string): Promise<ListedTool[]> {
    return this.#page.evaluate((asked) => uiHost.tools(asked), line);
  }

  show(wish: Showing): Promise<Shown> {
    return this.#page.evaluate((asked) => uiHost.show(asked), wish);
  }

  async end(line: string): Promise<void> {
    await this.#page.evaluate((ended) => uiHost.end(ended), line);
    // The shim ends with its input.
    this.#shims.get(line)?.end();
    this.#shims.delete(line);
  }

  /** The content of a view. */
  frame(title: string): FrameLocator {
    return this.#page.frameLocator(`iframe[title="${title}"]`).frameLocator('iframe');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#page.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Forwards to the core as a local program, because a browser would send an origin that the core does not know. */
function passOn(asked: IncomingMessage, response: ServerResponse, to: URL, token: string): void {
  const { origin: _origin, host: _host, referer: _referer, ...headers } = asked.headers;
  const further = request(to, {
    method: asked.method ?? 'GET',
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  further.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  further.on('error', () => response.destroy());
  response.on('close', () => further.destroy());
  asked.pipe(further);
}
