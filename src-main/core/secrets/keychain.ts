/**
 * Access to the system keychain: lazy and time-limited, because a dialog may be open in front of it and the core must
 * not wait for it.
 */
import process from 'node:process';
import { WorkerHandle, resolveWorkerUrl } from '../base/workers.ts';
import type { KeychainAnswer, KeychainRequest } from './keychain-worker/keychain-messages.ts';

export interface Keychain {
  /** Undefined: the keychain is available and has no such item. Rejects with the reason if it cannot be queried. */
  read(account: string): Promise<string | undefined>;
  write(account: string, value: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** How long a dialog may stay open before our request is ended, in ms. */
const maxMs = 5 * 60_000;
/** Timeout if a user may have to answer a dialog, in ms. */
const dialogMs = 60_000;
/**
 * A slower write is aborted, because the key is then stored elsewhere, and answering the dialog later must not change
 * that. In ms.
 */
const writeTimeoutMs = 10_000;

/** Variables that a keychain request needs: the session bus and the home of the user. */
const passedOn = ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'HOME', 'USER', 'LOGNAME', 'USERPROFILE', 'APPDATA'];

type Env = Readonly<Record<string, string | undefined>>;

/** Each request is a process that ends with its answer and takes about 60 ms. */
export class SystemKeychain implements Keychain {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  read(account: string): Promise<string | undefined> {
    return this.#ask({ act: 'read', account }, maxMs);
  }

  /** A secret of MCPProxy by its name; undefined and rejections as for `read`. A dialog may open. */
  readMcpproxy(name: string): Promise<string | undefined> {
    return this.#ask({ act: 'read MCPProxy’s', account: name }, dialogMs);
  }

  async write(account: string, value: string): Promise<void> {
    await this.#ask({ act: 'write', account, value }, writeTimeoutMs);
  }

  async remove(account: string): Promise<void> {
    await this.#ask({ act: 'remove', account }, writeTimeoutMs);
  }

  async #ask(request: KeychainRequest, limitMs: number): Promise<string | undefined> {
    // Without a bus the library would start its own, which no other program can use.
    if (process.platform === 'linux' && this.#busIsMissing()) throw new Error('there is no D-Bus session here');
    const env = Object.fromEntries(
      passedOn.flatMap((name) => (this.#env[name] === undefined ? [] : [[name, this.#env[name]] as const])),
    );
    const answer = Promise.withResolvers<KeychainAnswer>();
    const entry = resolveWorkerUrl('keychain-worker/keychain-process', import.meta.url);
    const worker = WorkerHandle.process<KeychainRequest, KeychainAnswer>(
      entry,
      { memory: 64, env },
      {
        onMessage: (message) => answer.resolve(message),
        onEnd: ({ error }) => answer.resolve({ failure: error?.message ?? 'the keychain process exited' }),
      },
    );
    const timer = setTimeout(() => answer.resolve({ failure: 'it did not respond' }), limitMs);
    // A read may be abandoned at exit, but the process must not exit during a write.
    if (request.act === 'read') timer.unref();
    const end = (): void => void worker.end();
    process.once('exit', end);
    try {
      worker.post(request);
      const said = await answer.promise;
      if ('failure' in said) throw new Error(said.failure);
      return said.value;
    } finally {
      clearTimeout(timer);
      process.off('exit', end);
      end();
    }
  }

  #busIsMissing(): boolean {
    return (this.#env['DBUS_SESSION_BUS_ADDRESS'] ?? this.#env['XDG_RUNTIME_DIR'] ?? '') === '';
  }
}
