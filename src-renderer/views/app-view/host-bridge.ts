/**
 * The page's side of the connection to a view, using the official host bridge. Loaded with the first view, because it
 * includes part of the MCP SDK. Messages are untrusted: `ViewHost` handles every request, and refuses with an
 * explanation.
 */
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { McpUiHostCapabilities, McpUiHostContext } from '@modelcontextprotocol/ext-apps/app-bridge';

type Result = Readonly<Record<string, unknown>>;

/** Requests that a view can send to the page. Rejections are returned with the error's message. */
export interface ViewHost {
  callTool(name: string, args: Result, signal: AbortSignal): Promise<Result>;
  readResource(uri: string, signal: AbortSignal): Promise<Result>;
  openLink(url: string, signal: AbortSignal): Promise<void>;
  /** A message to the model, or text in the user's name. */
  say(kind: 'message' | 'context', content: unknown): void;
  log(level: string, data: unknown): void;
  resize(height: number): void;
  /** The view has initialized. */
  ready(): void;
}

/** The call that the view shows. */
export interface ShownCall {
  readonly arguments: Result;
  /** The result, or why there is none. */
  readonly outcome: { readonly result: Result } | { readonly cancelled: string };
}

export interface ViewLine {
  contextChanged(context: McpUiHostContext): void;
  /** Notifies the view that it ends; resolves once the view has had time to react. */
  end(): Promise<void>;
}

interface LineOptions {
  /** The frame's window. */
  readonly target: Window;
  readonly html: string;
  readonly version: string;
  readonly context: McpUiHostContext;
  /** What was granted of its declared requirements. */
  readonly sandbox: NonNullable<McpUiHostCapabilities['sandbox']>;
  readonly call: ShownCall;
  readonly host: ViewHost;
}

/** Time for a view to clean up, in ms. */
const farewellMs = 300;
const nobodyReads = 'Messages are not sent to a model from the dashboard; they are shown to the user next to the view.';

/** Call it before the frame's URL is set, because the frame announces itself only once. */
export async function openLine({
  target,
  html,
  version,
  context,
  sandbox,
  call,
  host,
}: LineOptions): Promise<ViewLine> {
  const bridge = new AppBridge(
    null,
    { name: 'Tooltray', version },
    { openLinks: {}, serverTools: {}, serverResources: {}, logging: {}, sandbox },
    { hostContext: context },
  );
  bridge.oncalltool = ({ name, arguments: args = {} }, { mcpReq }) =>
    host.callTool(name, args, mcpReq.signal) as ReturnType<NonNullable<typeof bridge.oncalltool>>;
  bridge.onreadresource = ({ uri }, { mcpReq }) =>
    host.readResource(uri, mcpReq.signal) as ReturnType<NonNullable<typeof bridge.onreadresource>>;
  bridge.onopenlink = async ({ url }, { mcpReq }) => {
    await host.openLink(url, mcpReq.signal);
    return {};
  };
  bridge.onmessage = ({ content }) => {
    host.say('message', content);
    return Promise.reject(new Error(nobodyReads));
  };
  bridge.onupdatemodelcontext = ({ content, structuredContent }) => {
    host.say('context', structuredContent ?? content);
    return Promise.reject(new Error(nobodyReads));
  };
  bridge.onrequestdisplaymode = () => Promise.resolve({ mode: 'inline' as const });
  bridge.onloggingmessage = ({ level, data }) => host.log(level, data);
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) host.resize(height);
  };
  bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html });
  bridge.oninitialized = () => {
    host.ready();
    void tell(bridge, call);
  };
  await bridge.connect(new PostMessageTransport(target, target));
  return {
    contextChanged: (next) => bridge.setHostContext(next),
    end: async () => {
      await bridge.teardownResource({}, { timeout: farewellMs }).catch(() => undefined);
      await bridge.close();
    },
  };
}

async function tell(bridge: AppBridge, { arguments: args, outcome }: ShownCall): Promise<void> {
  await bridge.sendToolInput({ arguments: args });
  if ('cancelled' in outcome) await bridge.sendToolCancelled({ reason: outcome.cancelled });
  else await bridge.sendToolResult(outcome.result as Parameters<AppBridge['sendToolResult']>[0]);
}
