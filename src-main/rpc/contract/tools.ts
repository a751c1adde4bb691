/** Requests about the tools of servers: search, calls, descriptions, the scan. */
import { z } from 'zod';
import type { DefinitionKind } from '../../core/trust/scan/definition-texts.ts';
import type { ScanFinding, ScanVerdict } from '../../core/trust/scan/scan-finding.ts';
import { count, entry, flag, maybe, name, nothing, text, type Methods, type Nothing } from './fields.ts';

/** Tools of one server that a text fits. */
export interface ToolMatches {
  readonly server: string;
  /** The first of them, those with the text in their name before the others. */
  readonly tools: readonly string[];
  /** How many there are. */
  readonly total: number;
}

/** A tool as the command line shows it. */
export interface ToolSummary {
  readonly id: string;
  readonly listedName: string;
  readonly description: string;
}

/** One hit of a search. */
export interface SearchHitSummary extends ToolSummary {
  readonly reason: string;
}

/** The words of findings are the server's, invisible characters in them: show them as marks, and never as HTML. */
export interface ScannedDefinition {
  readonly server: string;
  readonly kind: DefinitionKind;
  /** Empty for a server's instructions. */
  readonly name: string;
  /** It is not what a user accepted, and no model is shown it. */
  readonly waits: boolean;
  readonly verdict: ScanVerdict;
  readonly findings: readonly ScanFinding[];
}

export interface ServerTool {
  readonly name: string;
  readonly listedName: string;
  readonly description: string;
  /** The text that a model wrote in its place, approved by the user; undefined if none. */
  readonly rewritten: string | undefined;
  readonly enabled: boolean;
  /**
   * Whatever its switch says, no model gets it as it is: nobody has accepted it yet, or it was looked at and is kept
   * out.
   */
  readonly reviewState: 'pending' | 'blocked' | undefined;
  readonly readOnly: boolean | undefined;
  readonly destructive: boolean | undefined;
  readonly tokens: number;
  /** It brings a view of its own, shown by apps that can. */
  readonly hasView: boolean;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A description that a model wrote; both texts verbatim, with marks for what cannot be seen. */
export interface RewrittenDescription {
  readonly server: string;
  readonly tool: string;
  readonly rewritten: string;
  readonly original: string;
}

/** Schemas of the inputs. */
export const toolInputs = {
  tools: z.object({ server: maybe(name) }),
  search: z.object({ query: text, limit: maybe(count) }),
  scan: z.object({ server: maybe(name) }),
  call: z.object({
    tool: name,
    arguments: entry,
    /** The most that the call is meant to do; refused if the server says that the tool does more. */
    intent: maybe(z.enum(['read', 'write', 'destructive'])),
    /** Stated reason, for the record. */
    reason: maybe(text),
  }),
  setToolEnabled: z.object({ server: name, tool: name, enabled: flag }),
  rewrittenDescriptions: nothing,
  restoreDescription: z.object({ server: name, tool: name }),
  toolMatches: z.object({ text: text.max(200) }),
};

interface ToolOutputs {
  tools: { readonly tools: readonly ToolSummary[] };
  search: { readonly total: number; readonly hits: readonly SearchHitSummary[] };
  /** Looks what servers list for what attacks are made of; told is what is for review or worse. */
  scan: { readonly scanned: number; readonly found: readonly ScannedDefinition[] };
  /** Calls a tool as the user, a server's or one of our own; the answer is the tool's result. */
  call: Record<string, unknown>;
  setToolEnabled: Nothing;
  /** Every description that a model wrote, next to the server's own. */
  rewrittenDescriptions: { readonly descriptions: readonly RewrittenDescription[] };
  /** Apps are told the server's own description again. */
  restoreDescription: Nothing;
  /** Tools whose name or description has every word, by server. */
  toolMatches: { readonly servers: readonly ToolMatches[] };
}

export type ToolMethods = Methods<typeof toolInputs, ToolOutputs>;
