/** Vaults in their own folders, and a keychain controlled by the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Keychain } from '../../../src-main/core/secrets/keychain.ts';
import { Vault } from '../../../src-main/core/secrets/vault.ts';

/** Its contents outlive the vaults that use it, like a real one's. */
export class ScriptedKeychain implements Keychain {
  readonly items = new Map<string, string>();
  /** Every request waits for this first. */
  opening: Promise<void> = Promise.resolve();
  /** Why it is unavailable. */
  problem: string | undefined;
  /** Locked without an error, as some keychains are: it returns nothing. */
  isHidden = false;
  writes = 0;

  async read(account: string): Promise<string | undefined> {
    await this.#open();
    return this.isHidden ? undefined : this.items.get(account);
  }

  async write(account: string, value: string): Promise<void> {
    await this.#open();
    this.writes++;
    this.items.set(account, value);
  }

  async remove(account: string): Promise<void> {
    await this.#open();
    this.items.delete(account);
  }

  async #open(): Promise<void> {
    await this.opening;
    if (this.problem !== undefined) throw new Error(this.problem);
  }
}

export class VaultHome implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'vault-'));
  readonly keychain = new ScriptedKeychain();

  /** Opens the vault as another process would. */
  open(env: Record<string, string> = {}): Vault {
    return new Vault({ folder: join(this.folder, 'secrets'), env, keychain: this.keychain, graceMs: 50 });
  }

  get file(): string {
    return join(this.folder, 'secrets/vault.json');
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
