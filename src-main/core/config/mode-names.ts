/** The names of the modes, and how a name that a person wrote is read. What each mode does is in core/modes. */

const modeNames = ['proxy', 'gateway', 'meta', 'search', 'code', 'dispatch', 'universal', 'retrieve'] as const;

export type ModeName = (typeof modeNames)[number];

/** Whichever mode costs a client app least. */
export const autoMode = 'auto';

/** Everything that may stand under `mode`. */
export const modeWords: readonly string[] = [autoMode, ...modeNames];

/** The name as the core has it, whatever its case; undefined when there is no such mode. */
export function readModeName(written: string): ModeName | typeof autoMode | undefined {
  const name = written.trim().toLowerCase();
  return name === autoMode ? autoMode : modeNames.find((mode) => mode === name);
}
