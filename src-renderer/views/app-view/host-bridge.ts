/**
 * The page's end of the line to a view, by the official host bridge. Loaded with the first view that is opened: it
 * brings a part of the MCP SDK along. What it hears is a stranger's: every question is answered by `ViewHost`, in words
 * where the answer is no.
 */
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { McpUiHostCapabilities, McpUiHostContext } from '@modelcontextprotocol/ext-apps/app-bridge';

type Result = Readonly<Record<string, unknown>>;

/** What a view may ask of the page. Those that reject are refused in the error's words. */
export interface ViewHost {
  callTool(name: string, args: Result, signal: AbortSignal): Promise<Result>;
  readResource(uri: string, signal: AbortSignal): Promise<Result>;
  openLink(url: string, signal: AbortSignal): Promise<void>;
  /** What it would tell the model, or write in the user's name. */
  say(kind: 'message' | 'context', content: unknown): void;
  log(level: string, data: unknown): void;
  resize(height: number): void;
  /** It has said that it is ready. */
  ready(): void;
}

/** What the view is shown: the call as it went. */
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
  /** What it was given of what it declared. */
  readonly sandbox: NonNullable<McpUiHostCapabilities['sandbox']>;
  readonly call: ShownCall;
  readonly host: ViewHost;
}

/** How long a view may take to put its things away, in ms. */
const farewellMs = 300;
const nobodyReads = 'Messages are not sent to a model from the dashboard; they are shown to the user next to the view.';

/** To be opened before the frame's address is set: the frame says only once that it is there. */
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
