/** Requests about the views of tools (MCP Apps). */
import { z } from 'zod';
import type { ViewRequirements } from '../../core/mcp-apps/view-policy.ts';
import { entry, flag, id, maybe, name, type Methods } from './fields.ts';

export type { ViewGrant, ViewRequirements } from '../../core/mcp-apps/view-policy.ts';

/** A tool's view, ready for embedding in a frame. All contents come from the server and are untrusted. */
export interface OpenedView {
  readonly uri: string;
  readonly html: string;
  /** URL of the frame, valid once and for one minute. */
  readonly frame: string;
  /** For the frame's `allow`. */
  readonly allow: string;
  readonly requirements: ViewRequirements;
  /** The tool's definition, as the server lists it. */
  readonly tool: Readonly<Record<string, unknown>>;
}

/** Schemas of the inputs. */
export const appViewInputs = {
  openView: z.object({ server: name, tool: name, network: flag, permissions: flag }),
  callFromView: z.object({ server: name, view: id, tool: name, arguments: entry, agreed: maybe(flag) }),
  readForView: z.object({ server: name, uri: id }),
};

interface AppViewOutputs {
  /** Reads a tool's view from its server. Rejects with AppError `not_found` if the tool has none. */
  openView: OpenedView;
  /**
   * Calls a tool of the view's own server by the server's tool name, as a manual run; requires `agreed` unless the
   * tool declares itself read-only. Rejects with AppError `not_allowed` for a tool that views must not call.
   */
  callFromView: { readonly id: string } | { readonly asks: 'writes' | 'destroys' };
  /** Reads a resource of the view's own server, up to 8 Mi characters. */
  readForView: { readonly result: Readonly<Record<string, unknown>> };
}

export type AppViewMethods = Methods<typeof appViewInputs, AppViewOutputs>;
