/** Requests about the tools of servers: search, calls, descriptions, the scan. */
import { z } from 'zod';
import type { DefinitionKind } from '../../core/trust/scan/definition-texts.ts';
import type { ScanFinding, ScanVerdict } from '../../core/trust/scan/scan-finding.ts';
import { count, entry, flag, maybe, name, nothing, text, type Methods, type Nothing } from './fields.ts';

/** Matching tools of one server. */
export interface ToolMatches {
  readonly server: string;
  /** The first matches; matches in the name come first. */
  readonly tools: readonly string[];
  /** Total number of matches. */
  readonly total: number;
}

/** A tool as the command line shows it. */
export interface ToolSummary {
  readonly id: string;
  readonly listedName: string;
  readonly description: string;
}

/** One search result. */
export interface SearchHitSummary extends ToolSummary {
  readonly reason: string;
}

/** Findings quote server text including invisible characters: show them as marks, never as HTML. */
export interface ScannedDefinition {
  readonly server: string;
  readonly kind: DefinitionKind;
  /** Empty for a server's instructions. */
  readonly name: string;
  /** It differs from what the user accepted, and is hidden from models. */
  readonly waits: boolean;
  readonly verdict: ScanVerdict;
  readonly findings: readonly ScanFinding[];
}

export interface ServerTool {
  readonly name: string;
  readonly listedName: string;
  readonly description: string;
  /** Replacement text written by a model and approved by the user; undefined if none. */
  readonly rewritten: string | undefined;
  readonly enabled: boolean;
  /** Hidden from models regardless of its switch: not yet accepted, or blocked by the user. */
  readonly reviewState: 'pending' | 'blocked' | undefined;
  readonly readOnly: boolean | undefined;
  readonly destructive: boolean | undefined;
  readonly tokens: number;
  /** It has a view, shown by apps that support MCP Apps. */
  readonly hasView: boolean;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A description written by a model; both texts verbatim, invisible characters as marks. */
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
    /** The most that the call may do; refused if the tool declares a stronger effect. */
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
  /** Scans servers' listed texts for attack patterns; returns those that need review or worse. */
  scan: { readonly scanned: number; readonly found: readonly ScannedDefinition[] };
  /** Calls a server's tool or a helper tool as the user; returns the tool's result. */
  call: Record<string, unknown>;
  setToolEnabled: Nothing;
  /** Every description written by a model, next to the server's. */
  rewrittenDescriptions: { readonly descriptions: readonly RewrittenDescription[] };
  /** Restores the server's own description. */
  restoreDescription: Nothing;
  /** Tools whose name or description contains every word, by server. */
  toolMatches: { readonly servers: readonly ToolMatches[] };
}

export type ToolMethods = Methods<typeof toolInputs, ToolOutputs>;
