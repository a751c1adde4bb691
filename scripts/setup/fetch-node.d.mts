/** Types of fetch-node.mjs. */
export function runsBuilt(): boolean;
export function fetchNode(version: string): Promise<string>;
