/** The names of the modes, and their parser. `core/modes` defines the modes. */

export const modeNames = ['proxy', 'gateway', 'meta', 'search', 'code', 'dispatch', 'universal', 'retrieve'] as const;

export type ModeName = (typeof modeNames)[number];

/** Chooses the mode with the lowest cost for a client app. */
export const autoMode = 'auto';

/** All values of `mode`. */
export const modeValues: readonly string[] = [autoMode, ...modeNames];

/** The canonical name, ignoring case; undefined for an unknown mode. */
export function parseModeName(written: string): ModeName | typeof autoMode | undefined {
  const name = written.trim().toLowerCase();
  return name === autoMode ? autoMode : modeNames.find((mode) => mode === name);
}
