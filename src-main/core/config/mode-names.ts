/** The names of the modes, and how a name that a user wrote is read. `core/modes` defines what each mode does. */

export const modeNames = ['proxy', 'gateway', 'meta', 'search', 'code', 'dispatch', 'universal', 'retrieve'] as const;

export type ModeName = (typeof modeNames)[number];

/** Whichever mode costs a client app least. */
export const autoMode = 'auto';

/** All values of `mode`. */
export const modeValues: readonly string[] = [autoMode, ...modeNames];

/** The name as the core has it, whatever its case; undefined when there is no such mode. */
export function parseModeName(written: string): ModeName | typeof autoMode | undefined {
  const name = written.trim().toLowerCase();
  return name === autoMode ? autoMode : modeNames.find((mode) => mode === name);
}
