/**
 * What stands before the model's Python: the documented functions, as coroutines over functions of the host.
 * A call starts where it is written, and only its answer is awaited: that way `asyncio.gather` runs calls side by side, though
 * the engine's host functions answer one after another.
 */

const functions = ['call_tool', 'call_tools', 'search', 'get_schema'] as const;

/** Names of the host's functions. */
export type HostFunction = `__${(typeof functions)[number]}`;
export const hostFunctions: readonly HostFunction[] = functions.map((name) => `__${name}` as const);
export const hostWait = '__wait';

const lines = [
  '__name__ = "__main__"',
  `async def __answer(number): return ${hostWait}(number)`,
  ...functions.map((name) => `def ${name}(*given, **named): return __answer(__${name}(*given, **named))`),
  '',
];

export const prelude = lines.join('\n');
/** How many lines lie before the first one of the code. */
export const preludeLines = lines.length - 1;
