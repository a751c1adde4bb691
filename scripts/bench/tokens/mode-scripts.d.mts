/** By mode. */
export const modeScripts: Readonly<Record<string, unknown>>;
