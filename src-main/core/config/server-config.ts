/** The configuration of one server that the core uses: the same for every file format, with defaults filled in. */
import type { JsonObject } from '../base/json.ts';

/** The tools of a server that client apps may use, by the server's own names. */
export interface ToolSelection {
  /** Disabled tools. */
  readonly off: readonly string[];
  /** Only these are enabled; undefined: all that are not disabled. */
  readonly only: readonly string[] | undefined;
}

/** The registry that a server was added from. */
export interface RegistryOrigin {
  /** Name of the registry in the config. */
  readonly name: string;
  /** Name of the server in the registry. */
  readonly server: string;
  readonly version: string;
}

/** `remote`: at its address. `shared`: one process per replica, for all users. `per-user`: one process per user. */
export const placements = ['remote', 'shared', 'per-user'] as const;

export type Placement = (typeof placements)[number];

interface ServerBase {
  /** Any text, unique; the key in the config file. */
  readonly name: string;
  readonly enabled: boolean;
  /** Whether it starts at the first call instead of at once, if the listing is cached. */
  readonly lazy: boolean;
  /** Idle time after which it stops, in ms; undefined: never. */
  readonly idleTimeoutMs: number | undefined;
  /** Time limit to connect and initialize, in ms (default: 30,000). */
  readonly initTimeoutMs: number;
  /** Time limit of a call, in ms; progress restarts it. */
  readonly callTimeoutMs: number;
  /** Maximum size of a message from the server, in bytes (default: 512 MiB). */
  readonly maxMessageBytes: number;
  /** Maximum number of concurrent calls; further calls wait. Absent: unlimited. */
  readonly maxConcurrent?: number;
  readonly description: string | undefined;
  /** Why it is off although enabled; only the user can lift it. */
  readonly held?: LeaseHandle;
  /** The registry at the time it was added; the launch may have changed since. */
  readonly registry?: RegistryOrigin;
  /** Placement from the entry; absent: the default (placement.ts). Ignored on a desktop. */
  readonly placement?: Placement;
  /** The setting as written, for storage and display; `isolate` is in effect. */
  readonly isolation?: JsonObject;
  /** Prefix of its tools and resources, even with a single server; absent: the server's name if there are several. */
  readonly prefix?: string;
  /** Absent: every tool is enabled. */
  readonly toolSwitch?: ToolSelection;
  /** SHA-256 (hex) of the parsed entry: the key of its listing cache, and compared on reload. */
  readonly hash: string;
}

/** The sandbox or container of a server's process. */
export interface Isolation {
  /** `auto`: the sandbox of this machine, or none; with the others the server starts confined or not at all. */
  readonly kind: 'auto' | 'sandbox' | 'container';
  /** Absolute files and folders in addition to those of its program. */
  readonly read: readonly string[];
  /** The same for writing; undefined: the folders in its arguments. */
  readonly write: readonly string[] | undefined;
  /** All, none, or hosts: `api.example.com`, `*.example.com`, with `:port` unless it is that of http or https. */
  readonly network: boolean | readonly string[];
  readonly image?: string;
  /** The network mode in Docker's terms. */
  readonly networkMode?: string;
  readonly workingDir?: string;
  /** Additional arguments of `docker run`. */
  readonly extraArgs: readonly string[];
  /** For a server that was not accepted. `home`: its home is deleted; `everything`: it has no working folder either. */
  readonly forgets?: 'home' | 'everything';
}

/** The variables of the user's login environment that a server receives in addition to the common ones. */
export type InheritedVariables = 'all' | readonly string[];

export interface StdioServerConfig extends ServerBase {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absent: only the common ones. */
  readonly inheritEnv?: InheritedVariables;
  /** Absent: no isolation. */
  readonly isolate?: Isolation;
  readonly cwd: string | undefined;
}

export interface HttpServerConfig extends ServerBase {
  /**
   * `http`: Streamable HTTP with a fallback to SSE; `sse`: only the deprecated HTTP+SSE transport; `openapi`: a web API,
   * described by `openapi`.
   */
  readonly kind: 'http' | 'sse' | 'openapi';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly openapi?: OpenApiSource;
  /** A client that the user registered, for authorization servers without dynamic registration. */
  readonly oauth?: OAuthClient;
}

/** The description of a web API. */
export interface OpenApiSource {
  /** An http(s) address, or the absolute path of a file. */
  readonly spec: string;
  /** Operations that become tools, by operationId, `METHOD /path`, or `tag:NAME`; undefined: all. */
  readonly operations: readonly string[] | undefined;
}

/**
 * Tooltray's client registration at an authorization server, as the user entered it, and the account to sign in with.
 */
export interface OAuthClient {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Registered there, so it is used verbatim: `http://127.0.0.1:PORT/path`; undefined: any port. */
  readonly redirectUri: string | undefined;
  readonly scopes: readonly string[];
  /** Additional parameters of the authorization request. */
  readonly extraParams: Readonly<Record<string, string>>;
  /** Issuer of the authorization server that the client was registered at; absent: the first one it is used at. */
  readonly issuer?: string | undefined;
  /** URL of the authorization server's metadata, overriding the one that the server advertises. */
  readonly authServerMetadataUrl?: string | undefined;
  /** https address of a client ID metadata document, used as the client id where supported. */
  readonly clientMetadataUrl?: string | undefined;
  /** The account to sign in with: a hint for the page, and any other account is rejected. */
  readonly account?: string | undefined;
  /** Its token is exchanged for the user's token, without a sign-in. Unused on a desktop. */
  readonly tokenExchange?: TokenExchange | undefined;
}

/** Source: RFC 8693, section 2.1. Client and scopes are those of the surrounding object. */
export interface TokenExchange {
  readonly tokenEndpoint: string;
  readonly audience?: string | undefined;
  readonly resource?: string | undefined;
}

export interface BuiltinServerConfig extends ServerBase {
  readonly kind: 'builtin';
  /** Name of the built-in server; `utils` is the only one. */
  readonly builtin: string;
  /** Absolute folders that its file tools may access. */
  readonly folders: readonly string[];
}

export type ServerConfig = StdioServerConfig | HttpServerConfig | BuiltinServerConfig;

/** `review`: not accepted yet. `blocked`: rejected by the user. `isolation`: requires a sandbox that is missing. */
export type LeaseHandle = 'review' | 'blocked' | 'setup';
