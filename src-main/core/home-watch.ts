/** Facts about a home's files while a core runs, refreshed on demand and rate-limited. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { AppPaths } from './base/app-paths.ts';
import { Emitter } from './base/emitter.ts';
import { examineHome } from './examine-home.ts';
import type { HomeFacts } from './health/findings.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { segmentsIn } from './trust/audit/audit-segments.ts';

const intervalMs = 10 * 60_000;
/** A longer audit log is verified only on request of the user. In bytes. */
const maxAuditBytes = 64 * 1024 * 1024;

export class HomeWatch {
  /** Emits when `facts` change. */
  readonly changed = new Emitter();
  readonly #paths: AppPaths;
  readonly #vault: SecretStore;
  #facts: HomeFacts = { folders: [], files: [] };
  #examinedAt = -Infinity;
  #examining: Promise<HomeFacts> | undefined;

  constructor(paths: AppPaths, vault: SecretStore) {
    this.#paths = paths;
    this.#vault = vault;
  }

  /** The facts last read, empty before the first time; stale ones are refreshed in the background. */
  get facts(): HomeFacts {
    if (Date.now() - this.#examinedAt > intervalMs) void this.#examine(this.#isAuditShort());
    return this.#facts;
  }

  /** Examines everything now. Never rejects. */
  async examine(): Promise<HomeFacts> {
    await this.#examining;
    return this.#examine(true);
  }

  #examine(withAudit: boolean): Promise<HomeFacts> {
    this.#examinedAt = Date.now();
    this.#examining ??= examineHome(this.#paths, this.#vault, { withAudit }).then((facts) => {
      this.#examining = undefined;
      this.#facts = facts;
      this.changed.emit();
      return facts;
    });
    return this.#examining;
  }

  #isAuditShort(): boolean {
    try {
      const segments = segmentsIn(join(this.#paths.dataDir, 'audit'));
      return segments.reduce((sum, { file }) => sum + statSync(file).size, 0) <= maxAuditBytes;
    } catch {
      return false;
    }
  }
}
