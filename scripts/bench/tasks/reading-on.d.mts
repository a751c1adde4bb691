/** Types of reading-on.mjs, for tests. */
interface Session {
  readonly tools: readonly { readonly name: string }[];
  readonly steps: readonly { readonly name: string }[];
  tool(name: string): { readonly inputSchema: unknown } | undefined;
  call(name: string, args: object): Promise<{ readonly text: string; readonly isError: boolean }>;
}

export function readOn(asked: {
  readonly session: Session;
  readonly notice: string;
  readonly wanted: { readonly name: string };
  readonly isFound: (text: string) => boolean;
}): Promise<string | undefined>;
