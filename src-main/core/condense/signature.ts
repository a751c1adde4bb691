/** A tool as one line of typed signature: `read_file(path: string, head?: integer)`. */

import { TypeText } from './type-text.ts';

export interface SignedTool {
  readonly name: string;
  readonly inputSchema?: unknown;
}

/** Takes any schema; what is not JSON Schema gives `name()`. */
export function signature(tool: SignedTool): string {
  return `${tool.name}(${new TypeText(tool.inputSchema).parameters(tool.inputSchema)})`;
}
