/**
 * V8 continues compiling what a core does for a call up to about here: by `--trace-opt`, half of all that TurboFan does
 * of it (0.5 of 1 s) comes between the 10,000th and the 12,000th call, and next to nothing after the 14,000th. What is
 * measured is what comes after it.
 */
export const warmUpCalls = 20_000;
/**
 * In turns: a process that is left alone for ten seconds collects, and with the last object of a kind goes the code
 * that V8 compiled for it (170 functions of a core, which cost twice as much for the next two thousand calls).
 */
const callsPerTurn = 1_000;

/** `call(path, count)` makes so many calls, one after the other. */
export async function warmUp(paths, call) {
  for (let made = 0; made < warmUpCalls; made += callsPerTurn) for (const path of paths) await call(path, callsPerTurn);
}
