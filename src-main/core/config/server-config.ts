/** The configuration of one server as the core uses it: one shape for every format, defaults filled in. */
import type { JsonObject } from '../base/json.ts';

/** Which of a server's tools there are for client apps, by the server's own names. */
export interface ToolSelection {
  /** Switched off. */
  readonly off: readonly string[];
  /** Only these are on; undefined: all that are not off. */
  readonly only: readonly string[] | undefined;
}

/** The registry that a server was added from. */
export interface RegistryOrigin {
  /** The registry, as the config calls it. */
  readonly name: string;
  /** The server, as the registry calls it. */
  readonly server: string;
  readonly version: string;
}

/**
 * `remote`: at its address. `shared`: one child a replica, for all users. `per-user`: one child a user, in one place.
 */
export const placements = ['remote', 'shared', 'per-user'] as const;

export type Placement = (typeof placements)[number];

interface ServerBase {
  /** Free text, unique; the key in the config file. */
  readonly name: string;
  readonly enabled: boolean;
  /** Start at the first call instead of at once, when the listing is cached. */
  readonly lazy: boolean;
  /** Stop after this long without a call, in ms; undefined: never. */
  readonly idleTimeoutMs: number | undefined;
  /** Time to connect and initialise, in ms (30 000 by default). */
  readonly initTimeoutMs: number;
  /** Ceiling for one call, in ms; progress restarts it. */
  readonly callTimeoutMs: number;
  /** Longest single message accepted from the server, in bytes (512 MiB by default). */
  readonly maxMessageBytes: number;
  /** Calls that run at once; further ones wait in line. Absent: any number. */
  readonly maxConcurrent?: number;
  readonly description: string | undefined;
  /** Why it is off though its switch says on; lifted by a user. */
  readonly held?: LeaseHandle;
  /** Stated when the server was added; the launch may have changed since. */
  readonly registry?: RegistryOrigin;
  /** Placement, from the entry; absent means the default (placement.ts). Ignored on a desktop. */
  readonly placement?: Placement;
  /** The setting as written, stored and shown; `isolate` is what applies. */
  readonly isolation?: JsonObject;
  /** Prefix of its tools and resources, even with one server; absent: the server's name if there are several. */
  readonly prefix?: string;
  /** Absent: every tool is on. */
  readonly toolSwitch?: ToolSelection;
  /** SHA-256 (hex) of the entry as the core reads it: the key of its listing cache, and the comparison on reload. */
  readonly hash: string;
}

/** A box around a server's process. */
export interface Isolation {
  /** `auto`: the sandbox that this machine has, else none; the others start in theirs or not at all. */
  readonly kind: 'auto' | 'sandbox' | 'container';
  /** Files and folders (absolute) beside what its program needs. */
  readonly read: readonly string[];
  /** The same, to be written; undefined: the folders that its arguments name. */
  readonly write: readonly string[] | undefined;
  /** All of it, none, or hosts: `api.example.com`, `*.example.com`, with `:port` unless it is that of http or https. */
  readonly network: boolean | readonly string[];
  readonly image?: string;
  /** The network mode, in Docker's terms. */
  readonly networkMode?: string;
  readonly workingDir?: string;
  /** Further arguments of `docker run`. */
  readonly extraArgs: readonly string[];
  /** For a server that was not accepted. `home`: its home is deleted; `everything`: no working folder either. */
  readonly forgets?: 'home' | 'everything';
}

/** Which variables of the user's login a server gets beside those that every program may need. */
export type InheritedVariables = 'all' | readonly string[];

export interface StdioServerConfig extends ServerBase {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absent: none but the common ones. */
  readonly inheritEnv?: InheritedVariables;
  /** Absent: it runs as the user's own programs do. */
  readonly isolate?: Isolation;
  readonly cwd: string | undefined;
}

export interface HttpServerConfig extends ServerBase {
  /** `http` is Streamable HTTP with a fall back to SSE; `sse` is the deprecated HTTP+SSE transport alone. */
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A client that was registered by hand, for authorization servers that register none themselves. */
  readonly oauth?: OAuthClient;
}

/**
 * Tooltray's client registration at an authorization server, as the user entered it, and the account to sign in with.
 */
export interface OAuthClient {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Registered for it, so used as it stands: `http://127.0.0.1:PORT/path`; undefined: any port. */
  readonly redirectUri: string | undefined;
  readonly scopes: readonly string[];
  /** Sent along with the request for the sign-in. */
  readonly extraParams: Readonly<Record<string, string>>;
  /** Issuer of the authorization server that the client was registered at; absent: the first one it is used at. */
  readonly issuer?: string | undefined;
  /** URL of the authorization server's metadata, overriding the one that the server advertises. */
  readonly authServerMetadataUrl?: string | undefined;
  /** A document about us at an https address, which is our client id wherever that is understood. */
  readonly clientMetadataUrl?: string | undefined;
  /** Who is to be signed in: a hint for the page, and nobody else counts. */
  readonly account?: string | undefined;
  /** Its token is made from the one that a user came with, without a sign-in. Unused on a desktop. */
  readonly tokenExchange?: TokenExchange | undefined;
}

/** Source: RFC 8693, section 2.1. Client and scopes are those next to it. */
export interface TokenExchange {
  readonly tokenEndpoint: string;
  readonly audience?: string | undefined;
  readonly resource?: string | undefined;
}

export interface BuiltinServerConfig extends ServerBase {
  readonly kind: 'builtin';
  /** Which built-in server; `utils` is the only one. */
  readonly builtin: string;
  /** Folders (absolute) its file tools may touch. */
  readonly folders: readonly string[];
}

export type ServerConfig = StdioServerConfig | HttpServerConfig | BuiltinServerConfig;

/** `review`: not accepted yet. `blocked`: rejected by the user. `isolation`: requires a sandbox that is missing. */
export type LeaseHandle = 'review' | 'blocked' | 'setup';
