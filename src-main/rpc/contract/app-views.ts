/** Requests about the views of tools (MCP Apps). */
import type { ViewGrant, ViewRequirements } from '../../core/mcp-apps/view-policy.ts';

export type { ViewGrant, ViewRequirements } from '../../core/mcp-apps/view-policy.ts';

/** A tool's view, ready to be put into a frame. All of it is the server's: none of it is to be trusted. */
export interface OpenedView {
  readonly uri: string;
  readonly html: string;
  /** Address of the frame to put it into, good once and for a minute. */
  readonly frame: string;
  /** For the frame's `allow`. */
  readonly allow: string;
  readonly wishes: ViewRequirements;
  /** The tool's definition, as the server lists it. */
  readonly tool: Readonly<Record<string, unknown>>;
}

export interface AppViewsContract {
  /** Reads a tool's view from its server. Rejects with AppError not_found where the tool has none. */
  openView: { input: { readonly server: string; readonly tool: string } & ViewGrant; output: OpenedView };
  /**
   * Starts a tool of the view's own server, by the server's own name, as a run; where it does not say that it only
   * reads, only with `agreed`. Rejects with AppError not_allowed for a tool that is not for views.
   */
  callFromView: {
    input: {
      readonly server: string;
      readonly view: string;
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly agreed?: boolean;
    };
    output: { readonly id: string } | { readonly asks: 'writes' | 'destroys' };
  };
  /** Reads a resource of the view's own server, up to 8 Mi characters. */
  readForView: {
    input: { readonly server: string; readonly uri: string };
    output: { readonly result: Readonly<Record<string, unknown>> };
  };
}
