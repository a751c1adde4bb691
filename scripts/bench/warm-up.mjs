/**
 * V8 goes on compiling what a core does for a call up to about here: by `--trace-opt`, half of all that TurboFan does of it (0.5 of 1 s) comes
 * between the 10,000th and the 12,000th call, and next to nothing after the 14,000th. What is measured is what comes after it.
 */
export const warmUpCalls = 20_000;
