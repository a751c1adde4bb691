/** Types of desktop-place.mjs, for tests. */
export interface StartFacts {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
}
export function whyNoDesktop(facts: StartFacts): string | undefined;
