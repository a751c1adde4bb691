/** Types of shown-tools.mjs, for tests. */
interface ShownTool {
  readonly name: string;
  readonly server: string | undefined;
  readonly text: string;
  readonly parameters: string | undefined;
}

export function toolsIn(
  text: string,
  from: { readonly only?: string; readonly servers: readonly string[] },
): ShownTool[];
export function toolsInSentence(sentence: string, server: string): ShownTool[];
export function showsNames(tool: Pick<ShownTool, 'parameters'>, names: readonly string[]): boolean;
