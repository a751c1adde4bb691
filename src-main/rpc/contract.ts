/** What the page may ask the core, and what it is answered. Types only: the one file of src-main that the renderer imports. */

import type { AccessContract } from './access-contract.ts';
import type { DashboardContract } from './dashboard-contract.ts';
import type { HealContract } from './heal-contract.ts';
import type { SavingsContract } from './savings-contract.ts';

export type * from './access-contract.ts';
export type * from './app-state.ts';
export type * from './dashboard-contract.ts';
export type * from './heal-contract.ts';
export type * from './savings-contract.ts';

/** Where a connection stands; the picture is in core/servers. */
export type ServerState =
  'disconnected' | 'connecting' | 'pending-sign-in' | 'authenticating' | 'discovering' | 'ready' | 'error' | 'disabled';

/** How a server fares, judged once by the core. `off` is not ill: switched off, or asleep until its first call. */
export type HealthLevel = 'ok' | 'busy' | 'attention' | 'error' | 'off';

/** What would mend a server that is ill. */
export interface HealthAction {
  readonly kind: 'retry' | 'sign-in' | 'enable' | 'edit-config' | 'view-log' | 'heal';
  readonly label: string;
}

/** One server, as a row of the table. All texts may come from the server itself: show them as text, never as HTML. */
export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  readonly level: HealthLevel;
  /** Two or three words: Ready, Starting 12 s, Needs sign-in. */
  readonly summary: string;
  /** The cause, in a sentence; may be empty. */
  readonly detail: string;
  readonly action?: HealthAction;
  /** Number of tools it offers. */
  readonly tools: number;
  readonly transport: 'stdio' | 'http' | 'sse' | 'builtin';
  /** Its command line or address, secrets masked. */
  readonly endpoint: string;
}

/** One client app that is connected now. */
export interface SessionStatus {
  readonly id: string;
  /** What the client app calls itself. */
  readonly app: string;
  /** As people call it. */
  readonly appName: string;
  /** The protocol revision it speaks, such as `2025-11-25`. */
  readonly era: string;
  readonly mode: string;
  /** Why this mode, where `auto` chose it. */
  readonly reason?: string;
  /** It was told that its tools have changed, and goes on with the old list. */
  readonly staleList: boolean;
  /** What the person should know or do, in a sentence; may be empty. */
  readonly note: string;
  /** Calls so far. */
  readonly calls: number;
}

/** The answer to `GET /rpc/state`. */
export interface CoreState {
  readonly version: string;
  /** Path of the config file. */
  readonly home: string;
  /** Folder of the logs; each server's own stderr lies in `servers` below it. */
  readonly logDir: string;
  /** Path of the unix socket, or name of the pipe, for shims. */
  readonly socket: string;
  /** Address of the MCP endpoint for client apps that speak HTTP; empty when there is none. */
  readonly http: string;
  /** Why HTTP is not where the config wants it, and what to do; empty where it is. */
  readonly httpProblem: string;
  /** The mode of sessions that ask for no other. */
  readonly mode: string;
  readonly sessions: readonly SessionStatus[];
  readonly servers: readonly ServerStatus[];
  /** Errors in the config file, a sentence each; an entry that cannot be used is not among `servers`. */
  readonly configProblems: readonly string[];
  /** ms since 1970. */
  readonly startedAt: number;
  readonly paused: boolean;
}

/** A tool as the command line shows it. */
export interface ToolSummary {
  readonly id: string;
  readonly listedName: string;
  readonly description: string;
}

/** One hit of a search. */
export interface SearchHitSummary extends ToolSummary {
  readonly why: string;
}

/** A line of a proposed change; `before` and `after` are verbatim, what cannot be seen marked as `⟨U+200B⟩`. */
export interface ProposedLine {
  /** What it is about, in plain words: `Command`, `Argument 2`, `Variable API_TOKEN`. */
  readonly what: string;
  readonly change: 'same' | 'new' | 'gone' | 'other';
  readonly before?: string;
  readonly after?: string;
  /** All of it as one text. */
  readonly text: string;
}

export interface ProposedChange {
  /** `file`: another program wrote it into the config file. */
  readonly kind: 'add' | 'remove' | 'update' | 'enable' | 'disable' | 'describe' | 'file';
  /** Empty for a setting. */
  readonly server: string;
  readonly sentence: string;
  /** Every line of the entry, today's and the one to come, in order. */
  readonly lines: readonly ProposedLine[];
  /** The whole entry as it would stand; missing where none would. */
  readonly entry?: Readonly<Record<string, unknown>> | undefined;
}

/** Something that waits for the person's word. Its texts are verbatim, secrets too: what is masked would be agreed to unseen. */
export interface ProposalSummary {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
  /** A model asked, or another program changed the config file; `app` and `tool` are empty then. */
  readonly origin: 'model' | 'file';
  /** The client app it came from, as people call it, and the tool that was used. */
  readonly app: string;
  readonly tool: string;
  readonly sentence: string;
  /** Approving starts, reaches or tells models something that was not: not to be the button that is pressed in passing. */
  readonly risky: boolean;
  /** Decided on together. */
  readonly changes: readonly ProposedChange[];
}

/** What may be asked of a running core: name, what it takes, what it answers. */
export interface RpcContract {
  state: { input: Record<string, never>; output: CoreState };
  tools: { input: { readonly server?: string }; output: { readonly tools: readonly ToolSummary[] } };
  search: {
    input: { readonly query: string; readonly limit?: number };
    output: { readonly total: number; readonly hits: readonly SearchHitSummary[] };
  };
  /** Calls a tool as the person, a server's or one of our own; the answer is the tool's result. */
  call: {
    input: {
      readonly tool: string;
      readonly arguments: Record<string, unknown>;
      /** What the call is meant to do at most; refused where its server says that the tool does more. */
      readonly intent?: 'read' | 'write' | 'destructive';
      /** Why, for the record. */
      readonly reason?: string;
    };
    output: Record<string, unknown>;
  };
  proposals: { input: Record<string, never>; output: { readonly proposals: readonly ProposalSummary[] } };
  approve: { input: { readonly id: string }; output: ProposalSummary };
  reject: { input: { readonly id: string }; output: ProposalSummary };
  retry: { input: { readonly server: string }; output: ServerStatus };
  /** Begins a sign-in; the answer is where the person goes on, in a browser. How it ends is told by the server's state. */
  signIn: { input: { readonly server: string }; output: { readonly url: string } };
  /** The last lines of a server's stderr. */
  log: { input: { readonly server: string }; output: { readonly lines: readonly string[] } };
  /** Holds all servers still, or lets them go on. */
  setPaused: { input: { readonly paused: boolean }; output: Record<string, never> };
  /** Reads the config file again; resolves when the servers follow. */
  reload: { input: Record<string, never>; output: { readonly problems: number } };
  stop: { input: Record<string, never>; output: Record<string, never> };
}

/** Everything that may be asked, by command line and dashboard. */
export type RpcMethods = RpcContract & AccessContract & DashboardContract & HealContract & SavingsContract;
export type RpcMethod = keyof RpcMethods;

/** What a question that fails is answered over HTTP and IPC. */
export interface RpcFailure {
  readonly code: string;
  readonly message: string;
  /** What to do about it; may be empty. */
  readonly fix: string;
}
