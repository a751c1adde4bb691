/** A VM with only the globals of the code runner: no files, network, environment or output. */
import { type HostFunction, JSValueHandle, MAX_STACK_SIZE, QuickJS } from 'quickjs-wasi';
import type { GuestHost } from './guest/guest-host-calls.ts';
import { guestSource } from './guest/guest-source.ts';
import type { RunMessage } from '../run-request.ts';

const badFile = 8;

interface VmOptions {
  readonly memoryBytes: number;
  /** Called every few thousand steps. */
  readonly isOver: () => boolean;
  readonly onRejection: (promise: JSValueHandle, reason: JSValueHandle, handled: boolean) => void;
}

export function createVm(engine: WebAssembly.Module, options: VmOptions): Promise<QuickJS> {
  return QuickJS.create({
    wasm: engine,
    memoryLimit: options.memoryBytes,
    maxStackSize: MAX_STACK_SIZE,
    interruptHandler: options.isOver,
    onUnhandledRejection: options.onRejection,
    timezoneOffset: 0,
    // The engine's own messages would go to the core's stdout, which carries MCP messages.
    wasi: () => ({ fd_write: () => badFile }),
  });
}

/** Host functions; their arguments are strings, numbers and booleans. */
export type HostFunctions = Readonly<Record<keyof GuestHost, HostAnswer>>;
type HostAnswer = (...given: readonly (string | number | boolean)[]) => JSValueHandle | string | void;

export interface GuestHandles {
  readonly deliver: JSValueHandle;
  readonly settle: JSValueHandle;
  readonly describe: JSValueHandle;
}

/** Installs the globals. Throws JSException if they exceed the memory limit. */
export function installGlobals(vm: QuickJS, host: HostFunctions, { style, input, helpers }: RunMessage): GuestHandles {
  const functions = vm.newObject();
  for (const [name, run] of Object.entries(host)) functions.setProp(name, vm.newFunction(name, bridge(vm, run)));
  const install = vm.evalCode(guestSource(), 'sandbox.js');
  const blocking = style === 'code_execution' ? vm.true : vm.false;
  const api = vm.callFunction(
    install,
    vm.undefined,
    functions,
    blocking,
    vm.newString(input),
    vm.newString(JSON.stringify(helpers)),
  );
  return { deliver: api.getProp('deliver'), settle: api.getProp('settle'), describe: api.getProp('describe') };
}

/** Only primitive arguments are read, because reading others would run code of the VM. */
function bridge(vm: QuickJS, run: HostAnswer): HostFunction {
  return (...handles) => {
    const given = handles.map((handle) => {
      if (handle.isString) return handle.toString();
      if (handle.isNumber) return handle.toNumber();
      return handle.isBool && handle.toBoolean();
    });
    try {
      const answer = run(...given);
      return answer instanceof JSValueHandle ? answer : vm.hostToHandle(answer);
    } catch {
      // An error here would reveal paths of this computer. It occurs when the memory is full.
      return vm.undefined;
    }
  };
}

/** Returns undefined if the text does not fit into the memory of the VM. */
export function newString(vm: QuickJS, text: string): JSValueHandle | undefined {
  const handle = vm.newString(text);
  if (handle.isString) return handle;
  // The engine has a pending exception, which would surface elsewhere.
  vm.getException().dispose();
  return undefined;
}

/**
 * Returns the URL of the engine's bytes, given that of the worker: the package's own file, or the one next to the
 * built worker.
 */
export function engineUrl(workerUrl: string): URL {
  if (new URL(workerUrl).pathname.endsWith('.ts')) return new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm'));
  return new URL('./quickjs.wasm', workerUrl);
}
