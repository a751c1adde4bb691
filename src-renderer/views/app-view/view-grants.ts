/** Permissions that the user granted to tool views while this page is open. */
import type { ViewGrant, ViewRequirements } from '../../../src-main/rpc/contract.ts';

interface ViewSandbox {
  readonly permissions: Record<string, object>;
  readonly csp: Record<string, string[]>;
}

/**
 * The granted part of a view's declared requirements (`hostCapabilities.sandbox`). Source: SEP-1865 (MCP Apps), Host
 * Capabilities.
 */
export function sandboxOf(wishes: ViewRequirements, { network, permissions }: ViewGrant): ViewSandbox {
  const { connect, resources, frames, baseUris } = wishes;
  const domains = {
    connectDomains: connect,
    resourceDomains: resources,
    frameDomains: frames,
    baseUriDomains: baseUris,
  };
  return {
    permissions: Object.fromEntries(permissions ? wishes.permissions.map((name) => [name, {}]) : []),
    csp: Object.fromEntries(network ? Object.entries(domains).map(([kind, all]) => [kind, [...all]]) : []),
  };
}

export class ViewGrants {
  readonly #given = new Map<string, ViewGrant>();

  /** `key`: identifies the view and its requirements. */
  find(key: string): ViewGrant {
    return this.#given.get(key) ?? { network: false, permissions: false };
  }

  give(key: string, grant: ViewGrant): void {
    this.#given.set(key, grant);
  }
}
