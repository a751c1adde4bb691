/** What the user allowed views of tools, for as long as this page is open. */
import type { ViewGrant, ViewRequirements } from '../../../src-main/rpc/contract.ts';

interface ViewSandbox {
  readonly permissions: Record<string, object>;
  readonly csp: Record<string, string[]>;
}

/**
 * What a view has of what it declared, as it is told (`hostCapabilities.sandbox`). Source: SEP-1865 (MCP Apps), Host
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

  /** `key`: whose view, and all that it declares. */
  find(key: string): ViewGrant {
    return this.#given.get(key) ?? { network: false, permissions: false };
  }

  give(key: string, grant: ViewGrant): void {
    this.#given.set(key, grant);
  }
}
