/**
 * The page of an app that shows tools' views, built with the SDK's client, host bridge, and frame transport. Runs in
 * the browser; `host.ts` bundles it, and pipes its messages to the shim.
 */
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import {
  AppBridge,
  buildAllowAttribute,
  getToolUiResourceUri,
  type McpUiResourceMeta,
  PostMessageTransport,
  RESOURCE_MIME_TYPE,
} from '@modelcontextprotocol/ext-apps/app-bridge';

export interface Connecting {
  /** Name of the connection, used by later calls. */
  readonly line: string;
  /** The app's reported name. */
  readonly name: string;
  readonly era: '2025-11-25' | '2026-07-28';
  /** A path of this page's own origin; undefined: over the shim. */
  readonly path: string | undefined;
}

export interface ListedTool {
  readonly name: string;
  /** URI of its view. */
  readonly view: string | undefined;
}

export interface Showing {
  readonly line: string;
  /** Title of the frame created for it. */
  readonly frame: string;
  /** Name used by the model. */
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  /** undefined: the result refers to it. */
  readonly view: string | undefined;
}

export interface Shown {
  readonly view: string;
  /** MIME type of the view, as read. */
  readonly type: string | undefined;
}

declare global {
  var uiHost: UiHost;
  /** Writes a line to the shim of a connection. */
  var toShim: (line: string, text: string) => Promise<void>;
}

const shows = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } } };
const hostInfo = { name: 'ui-host', version: '1.0.0' };

class UiHost {
  readonly #clients = new Map<string, Client>();
  readonly #pipes = new Map<string, PipedTransport>();

  async connect({ line, name, era, path }: Connecting): Promise<void> {
    const mode = era === '2026-07-28' ? { pin: era } : 'legacy';
    const client = new Client({ name, version: '1.0.0' }, { capabilities: shows, versionNegotiation: { mode } });
    const transport =
      path === undefined ? this.#pipe(line) : new StreamableHTTPClientTransport(new URL(path, location.href));
    await client.connect(transport);
    this.#clients.set(line, client);
  }

  /** Closes a connection and its frames. A browser limits connections per server. */
  async end(line: string): Promise<void> {
    await this.#client(line).close();
    for (const frame of document.querySelectorAll(`iframe[data-line="${line}"]`)) frame.remove();
  }

  /** A line written by the shim. */
  heard(line: string, text: string): void {
    this.#pipes.get(line)?.onmessage?.(JSON.parse(text));
  }

  async tools(line: string): Promise<ListedTool[]> {
    const { tools } = await this.#client(line).listTools();
    return tools.map((tool) => ({ name: tool.name, view: getToolUiResourceUri(tool) }));
  }

  /** Calls a tool, and sends the call to its view. Resolves when the view is ready. */
  async show({ line, frame, name, arguments: args, view }: Showing): Promise<Shown> {
    const client = this.#client(line);
    const result = await client.callTool({ name, arguments: args });
    const uri = view ?? getToolUiResourceUri(result);
    if (uri === undefined) throw new Error(`The answer leads to no interface: ${JSON.stringify(result)}`);
    const { contents } = await client.readResource({ uri });
    const [page] = contents;
    if (page === undefined || !('text' in page)) throw new Error(`${uri} is no page.`);
    const { permissions } = (page._meta?.['ui'] ?? {}) as McpUiResourceMeta;
    const iframe = document.createElement('iframe');
    iframe.title = frame;
    iframe.dataset['line'] = line;
    // The same server by another host name: another origin.
    iframe.sandbox.add('allow-scripts', 'allow-same-origin', 'allow-forms');
    iframe.allow = buildAllowAttribute(permissions);
    document.body.append(iframe);
    await this.#bridge(client, iframe, page.text, { arguments: args, result });
    return { view: uri, type: page.mimeType };
  }

  async #bridge(
    client: Client,
    iframe: HTMLIFrameElement,
    html: string,
    call: { readonly arguments: Record<string, unknown>; readonly result: CallToolResult },
  ): Promise<void> {
    const target = iframe.contentWindow;
    if (target === null) throw new Error('The frame has no window.');
    // It forwards the view's calls and reads to the client by itself.
    const bridge = new AppBridge(client, hostInfo, { serverTools: {}, serverResources: {}, logging: {} });
    const ready = new Promise<void>((resolve) => (bridge.oninitialized = () => resolve()));
    bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html });
    await bridge.connect(new PostMessageTransport(target, target));
    iframe.src = `http://localhost:${location.port}/sandbox.html`;
    await ready;
    await bridge.sendToolInput({ arguments: call.arguments });
    await bridge.sendToolResult(call.result);
  }

  #client(line: string): Client {
    const client = this.#clients.get(line);
    if (client === undefined) throw new Error(`There is no connection ${line}.`);
    return client;
  }

  #pipe(line: string): PipedTransport {
    const pipe = new PipedTransport(line);
    this.#pipes.set(line, pipe);
    return pipe;
  }
}

/** Lines of the shim, which a page cannot start itself. */
class PipedTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #line: string;

  constructor(line: string) {
    this.#line = line;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: object): Promise<void> {
    return toShim(this.#line, JSON.stringify(message));
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }
}

globalThis.uiHost = new UiHost();
