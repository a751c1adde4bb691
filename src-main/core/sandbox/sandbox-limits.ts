/** The limits of a run: what was asked for, within what is possible. */
import { defaultLimits, type SandboxLimits } from './sandbox-request.ts';

export function withDefaults(limits: Partial<SandboxLimits> = {}): SandboxLimits {
  const { timeMs, memoryBytes, calls, parallel } = { ...defaultLimits, ...limits };
  return {
    timeMs: within(timeMs, 1, 600_000),
    // Below two megabytes the engine has no room for its own objects; above one gigabyte its addresses end.
    memoryBytes: within(memoryBytes, 2 << 20, 1 << 30),
    calls: Math.max(0, calls),
    parallel: within(Math.floor(parallel), 1, 32),
  };
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
