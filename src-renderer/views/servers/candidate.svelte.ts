/** A server about to be added: first tested, then saved; saved untested only if the user chooses to. */
import type { FoundSecret, ServerTrialResult } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';
import { RequestState } from '../../lib/asking.svelte.ts';
import type { Entry } from './entry-form.ts';

export type Phase = 'new' | 'testing' | 'failed' | 'saving' | 'added';

export class Candidate {
  readonly entry: Entry;
  /** Notes about how it was parsed, one sentence each. */
  readonly notes: readonly string[];
  name = $state('');
  phase = $state<Phase>('new');
  trial = $state.raw<ServerTrialResult>();
  /** Values that look like secrets. */
  secrets = $state.raw<readonly FoundSecret[]>([]);
  /** Whether they are moved to the vault and replaced by references. */
  keepsSecrets = $state(true);
  readonly adding = new RequestState();

  constructor(name: string, entry: Entry, notes: readonly string[] = []) {
    this.name = name;
    this.entry = entry;
    this.notes = notes;
    void this.#look();
  }

  get isBusy(): boolean {
    return this.phase === 'testing' || this.phase === 'saving';
  }

  /** Never rejects; the outcome is in `phase`. */
  async add(untested = false): Promise<void> {
    const isDone = await this.adding.run(async () => {
      if (!untested && !(await this.#works())) return;
      this.phase = 'saving';
      const keepSecrets = this.keepsSecrets && this.secrets.length > 0;
      await api.ask('saveServer', { name: this.name.trim(), entry: this.entry, replace: false, keepSecrets });
      this.phase = 'added';
    });
    if (!isDone) this.phase = 'failed';
  }

  /** Nothing is offered if this fails, because the command line and the settings offer it later. */
  async #look(): Promise<void> {
    const answer = await api.ask('plaintextSecrets', { entry: this.entry }).catch(() => undefined);
    this.secrets = answer?.found ?? [];
  }

  async #works(): Promise<boolean> {
    this.phase = 'testing';
    this.trial = undefined;
    this.trial = await api.ask('testServer', { entry: this.entry });
    if (!this.trial.ok) this.phase = 'failed';
    return this.trial.ok;
  }
}
