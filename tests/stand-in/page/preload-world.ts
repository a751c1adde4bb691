/**
 * Runs in an isolated world of the page: `require('electron')` for the app's preload script, which runs last. Used as
 * source text.
 */
import type { Shape } from './main-world.ts';

/** Functions between the browser and this world. */
interface World {
  standInSend: (text: string) => void;
  standInReceive?: (message: Received) => void;
}

interface Received {
  readonly kind: 'answer' | 'send';
  readonly id?: number;
  readonly channel?: string;
  readonly error?: string;
  readonly value?: unknown;
  readonly args?: readonly unknown[];
}

/** The app's preload script, as a function body. */
export type Preload = (require: unknown, module: unknown, exports: unknown, process: unknown) => void;

type Codec = (value: unknown) => unknown;
type Hear = (event: object, ...args: unknown[]) => void;

export function preloadWorld(preload: Preload, platform: string, encode: Codec, decode: Codec): void {
  const world = globalThis as unknown as World;
  const functions = new Map<number, (...args: unknown[]) => unknown>();
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  const listeners = new Map<string, Hear[]>();
  const exposed = new Set<string>();
  let lastId = 0;

  const tell = (name: string, detail: object): void => {
    document.dispatchEvent(new CustomEvent(`stand-in:${name}`, { detail }));
  };
  const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

  const show = (value: unknown): Shape => {
    if (typeof value === 'function') {
      const id = ++lastId;
      functions.set(id, value as () => unknown);
      return { call: id };
    }
    const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
    if (!isPlain) return { value };
    return { members: Object.fromEntries(Object.entries(value).map(([name, member]) => [name, show(member)])) };
  };
  const take = (value: unknown): unknown => {
    const { function: id } = (value ?? {}) as { function?: number };
    return id === undefined ? value : (...args: unknown[]) => tell('callback', { id, args: args.map(show) });
  };

  document.addEventListener('stand-in:call', (event) => {
    const { id, target, args } = (event as CustomEvent<{ id: number; target: number; args: unknown[] }>).detail;
    try {
      const result = functions.get(target)?.(...args.map(take));
      if (!(result instanceof Promise)) return tell('answer', { id, value: show(result) });
      tell('answer', { id, isPromise: true });
      result.then(
        (value: unknown) => tell('settle', { id, value: show(value) }),
        (error: unknown) => tell('settle', { id, error: messageOf(error) }),
      );
    } catch (error) {
      tell('answer', { id, error: messageOf(error) });
    }
  });

  world.standInReceive = ({ kind, id = 0, channel = '', error, value, args = [] }) => {
    if (kind === 'send') {
      for (const hear of listeners.get(channel) ?? []) hear({}, ...args.map(decode));
    } else if (error === undefined) waiting.get(id)?.resolve(decode(value));
    else waiting.get(id)?.reject(new Error(`Error invoking remote method '${channel}': ${error}`));
  };

  const ipcRenderer = {
    invoke: (channel: string, ...args: unknown[]) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        world.standInSend(JSON.stringify({ kind: 'invoke', id, channel, args: args.map(encode) }));
      }),
    send: (channel: string, ...args: unknown[]) =>
      world.standInSend(JSON.stringify({ kind: 'send', channel, args: args.map(encode) })),
    on: (channel: string, hear: Hear) => listeners.set(channel, [...(listeners.get(channel) ?? []), hear]),
    off: (channel: string, hear: Hear) =>
      listeners.set(
        channel,
        (listeners.get(channel) ?? []).filter((one) => one !== hear),
      ),
  };
  const contextBridge = {
    exposeInMainWorld(key: string, api: unknown) {
      if (exposed.has(key)) throw new Error('Cannot bind an API on top of an existing property on the window object');
      exposed.add(key);
      tell('expose', { key, shape: show(api) });
    },
  };
  // A sandboxed preload script can import Electron and little else; the error is Electron's.
  const require = (id: string): unknown => {
    if (id === 'electron') return { contextBridge, ipcRenderer };
    throw new Error(`module not found: ${id}`);
  };
  try {
    const module = { exports: {} };
    preload(require, module, module.exports, { platform, sandboxed: true, contextIsolated: true });
  } catch (error) {
    world.standInSend(JSON.stringify({ kind: 'preload-error', message: messageOf(error), args: [] }));
  }
}
