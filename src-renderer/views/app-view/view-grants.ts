/** What the person allowed views of tools, for as long as this page is open. */
import type { ViewGrant } from '../../../src-main/rpc/contract.ts';

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
