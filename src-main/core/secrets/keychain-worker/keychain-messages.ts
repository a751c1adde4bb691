/** Messages between the core and the keychain process. Types only. */

export type KeychainRequest = {
  readonly account: string;
} & ({ readonly act: 'read' | 'remove' | 'read MCPProxy’s' } | { readonly act: 'write'; readonly value: string });

/** `value`: what was read; absent if there is no such item, and after a write. */
export type KeychainAnswer = { readonly value?: string | undefined } | { readonly failure: string };
