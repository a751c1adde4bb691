/** The keys of server entries: our field for each, and the meaning of the others. */
import type { KeyForm, KeyRule } from './dialect.ts';

/** `working_dir`, `workingDir` and `working-dir` are one key; `_dir`, which is a comment, is another. */
export function plainKey(key: string): string {
  return key.toLowerCase().replace(/(?<=.)[-_ ]/g, '');
}

/** Our field, how its value is read, and the keys of other products for it, as `plainKey` returns them. */
const keysOfFields: readonly (readonly [field: string, form: KeyForm, keys: string])[] = [
  ['command', 'same', 'cmd executable exec program'],
  ['args', 'same', 'arguments argv'],
  ['env', 'same', 'environment envs envvars environmentvariables'],
  ['env', 'secrets', 'envkeys'],
  ['cwd', 'same', 'workingdir workingdirectory workdir currentdirectory'],
  ['url', 'same', 'uri endpoint address baseurl serverurl remoteurl mcpurl httpurl streamablehttpurl sseurl'],
  ['headers', 'same', 'httpheaders'],
  ['headers', 'headerVariables', 'envhttpheaders'],
  ['headers', 'bearerVariable', 'bearertokenenvvar'],
  ['headers', 'bearer', 'bearertoken apikey token authtoken accesstoken authorization authorizationtoken'],
  ['type', 'same', 'protocol kind transporttype transportprotocol servertype connectiontype'],
  ['enabled', 'same', 'enable isenabled active isactive autostart'],
  ['enabled', 'not', 'disabled isdisabled disable inactive paused'],
  ['lazy', 'not', 'startonlaunch loadonstart startup'],
  ['disabledTools', 'same', 'excludetools excludedtools disallowedtools blockedtools deniedtools suppressedtools'],
  ['enabledTools', 'same', 'includetools includedtools availabletools allowedtools'],
  ['enabledTools', 'tools', 'tools toolfilter'],
  ['initTimeoutSeconds', 'milliseconds', 'inittimeout startuptimeoutms connectiontimeout startmcptimeout'],
  ['initTimeoutSeconds', 'seconds', 'startuptimeoutsec startuptimeoutseconds connecttimeout startuptimeout'],
  ['callTimeoutSeconds', 'milliseconds', 'requesttimeout requesttimeoutms timeoutms calltimeoutms tooltimeoutms'],
  ['callTimeoutSeconds', 'seconds', 'tooltimeoutsec tooltimeoutseconds timeoutseconds timeoutsec readtimeoutseconds'],
  ['maxConcurrent', 'same', 'maxconcurrentrequests maxconcurrentcalls maxconcurrency concurrencylimit'],
  ['oauth', 'scopes', 'scopes'],
];

/** Plain key → our field, whatever the product; `dialect-table.ts` has the exceptions. */
export const keyRules: ReadonlyMap<string, KeyRule> = new Map(
  keysOfFields.flatMap(([field, form, keys]) => keys.split(' ').map((key) => [key, { field, form }] as const)),
);

/** Times by what they limit and their unit; ToolMux has one for the start and each request of an address. */
export const times = {
  callSeconds: { field: 'callTimeoutSeconds', form: 'seconds' },
  callMs: { field: 'callTimeoutSeconds', form: 'milliseconds' },
  startSeconds: { field: 'initTimeoutSeconds', form: 'seconds' },
  startMs: { field: 'initTimeoutSeconds', form: 'milliseconds' },
  bothSeconds: { field: 'initTimeoutSeconds', also: 'callTimeoutSeconds', form: 'seconds' },
} as const satisfies Readonly<Record<string, KeyRule>>;

/** Plain keys of objects whose keys count as the entry's own; what `timeout` in them means. */
export const nestedKeys: ReadonlyMap<string, 'call ms' | 'as entry'> = new Map([
  ...['transport', 'command', 'requestinit', 'anythingllm', 'toolconfiguration'].map(
    (key) => [key, 'as entry'] as const,
  ),
  ...['requestoptions', 'options'].map((key) => [key, 'call ms'] as const),
]);

/** The same for objects that have a command or a URL; the first three are also its transport. */
export const nestedEntries: ReadonlySet<string> = new Set(
  'stdio http sse remote config mcpconfig params serverparams connection'.split(' '),
);

/** Plain keys that say nothing about how to reach or treat a server here. */
export const ignoredKeys: ReadonlySet<string> = new Set(
  (
    'name id source notes autoapprove alwaysallow alwaysload trust gallery version dev created updated sseendpoint ' +
    'reconnectonuse exposeprompts sourceregistryid keepalive sourceregistryprovenance skipquarantine ' +
    'autoapprovetoolchanges icon shared bundled displayname fromgalleryid title resettimeoutonprogress ' +
    'iconpath logourl provider providerurl isbuiltin key homepage repository author defertools openapi serverlabel'
  ).split(' '),
);

const envFiles = 'Tooltray does not read env files. Set the values in "env"; use "${env:NAME}" for secrets.';
const ownTimes = 'Tooltray has its own schedule for health checks.';
const queue = 'Up to 100 calls are queued for a server with "maxConcurrent".';
const ownInstructions = 'Tooltray uses the server’s own instructions.';

/** Plain keys whose effect is lost here, with what the user should know. */
export const unsupportedKeys: ReadonlyMap<string, string> = new Map([
  ['envfile', envFiles],
  ['trustmode', 'The handling of changed tools is set for all servers in "reviews.onChange".'],
  ['toonoutput', 'TOON is set for all servers, in "results.toon".'],
  ['launcherwaittimeout', 'Tooltray starts a command or connects to an address, not both.'],
  ['annotationoverrides', 'Tool hints are used as the server sends them.'],
  ['healthcheckinterval', ownTimes],
  ['tooldiscoveryinterval', ownTimes],
  ['queuesize', queue],
  ['queuetimeout', queue],
  ['authbroker', 'Tooltray serves one user.'],
  ['headershelper', 'Tooltray does not run header commands. Set "headers"; use "${secret:NAME}" for secrets.'],
  ['serverinstructions', ownInstructions],
  ['instructions', ownInstructions],
  ['settings', 'These settings are for an app extension and do not affect servers.'],
  ['uses', 'This names a block of Continue’s hub, which Tooltray does not fetch.'],
]);

/** Plain transport names of all products. `auto` leaves it to what else is there. */
export const kindByType: ReadonlyMap<string, 'stdio' | 'http' | 'sse' | 'builtin' | 'auto'> = new Map(
  Object.entries({
    stdio:
      'stdio std local localstdio command process subprocess pipe cli exec executable shell binary node npm npx bun ' +
      'deno python uv uvx docker podman dotnet',
    http:
      'http https remote remotehttp url shttp streamable streamablehttp streamablehttps streamhttp streaminghttp ' +
      'streamablehttpclient httpstream httpstreamable httpstreaming http/sse http+sse httpsse sse/http ssehttp',
    sse: 'sse remotesse serversentevents eventsource',
    builtin: 'builtin',
    auto: ' auto default mcp custom',
  } as const).flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind as 'stdio'] as const)),
);

/** Words for on and off; `status` and `state` count where their value is one of them. */
export const onWords: ReadonlySet<string> = new Set('true yes y on 1 enabled active'.split(' '));
export const offWords: ReadonlySet<string> = new Set(
  ' false no n off 0 disabled inactive never paused suspended stopped'.split(' '),
);

/** Each kind of server: how texts call it, the fields that only it has, and the one that it cannot be without. */
export const kinds = {
  stdio: {
    called: 'started by a command',
    fields: ['command', 'args', 'env', 'inheritEnv', 'isolation', 'sandboxEnabled', 'cwd'],
    needs: 'command',
  },
  http: { called: 'at an address', fields: ['url', 'headers', 'oauth'], needs: 'url' },
  openapi: { called: 'that is a web API', fields: ['spec', 'operations'], needs: 'url' },
  builtin: { called: 'that comes with Tooltray', fields: ['builtin', 'folders'], needs: undefined },
} as const;

/** A missing part of a server, and its syntax. */
export const neededFields = {
  command: ['a command', '"command": "npx", "args": […]'],
  url: ['a URL', '"url": "https://…"'],
  auto: ['a command or a URL', '"command": "npx", "args": […] or "url": "https://…"'],
} as const;

/** Kinds of entries that are no servers of their own, and why. */
export const refusedKinds: ReadonlyMap<string, string> = new Map([
  ['openapi', 'It describes a web API, not an MCP server.'],
  ['platform', 'It is built into its app and can only run there.'],
  ['frontend', 'It is built into its app and can only run there.'],
  ['inmemory', 'It is built into its app and can only run there.'],
  ['inlinepython', 'It is Python code inside its app, not a program.'],
  ['extension', 'It is an extension of its app and can only run there.'],
  ['websocket', 'It uses WebSocket, which is not an MCP transport.'],
  ['ws', 'It uses WebSocket, which is not an MCP transport.'],
]);

/** Advice for placeholders that cannot be filled, by the word before their colon. */
export const placeholderAdvice: ReadonlyMap<string, string> = new Map([
  ['input', 'Use ${env:NAME} and set that variable, or use ${secret:NAME} and store the value in the vault.'],
  ['prompt', 'Use ${env:NAME} and set that variable, or use ${secret:NAME} and store the value in the vault.'],
  ['file', 'Store the content of the file in the vault and use ${secret:NAME}.'],
  ['cmd', 'Store the output of the command in the vault and use ${secret:NAME}.'],
  ['command', 'Store the output of the command in the vault and use ${secret:NAME}.'],
  ['folder', 'Use the full path of the directory.'],
]);

/** Placeholders for a folder that only the app knows; for a known project, the first two are filled. */
export const folderNames: ReadonlySet<string> = new Set([
  ...['workspaceFolder', 'workspaceFolderBasename', 'workspaceRoot', 'workspacePath', 'projectRoot', 'projectPath'],
  ...['extensionPath', 'CLAUDE_PLUGIN_ROOT', 'CLAUDE_PROJECT_DIR', 'CLAUDE_PLUGIN_DATA', '__dirname', 'cwd'],
  ...['fileDirname', 'relativeFileDirname', 'file'],
]);
