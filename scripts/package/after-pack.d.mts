/** Types of after-pack.mjs, for tests. */
export function missingKeychain(
  resources: string,
  target: { readonly platform: string; readonly arch: string },
): string[];
