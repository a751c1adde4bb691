/** Types of find-electron.mjs, for tests. */
type Env = Readonly<Record<string, string | undefined>>;
export function findElectron(root: string): Promise<{ program: string } | { program?: undefined; why: string }>;
export function downloadSource(env: Env): string;
export function binaryOf(folder: string, env?: Env): string | undefined;
