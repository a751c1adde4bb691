/** A server that is about to be added: tried first, then written; written untried only where the person says so. */
import type { ServerTrialResult } from '../../../src-main/rpc/contract.ts';
import { api } from '../../lib/api.ts';
import { Asking } from '../../lib/asking.svelte.ts';
import type { Entry } from './entry-form.ts';

export type Phase = 'new' | 'testing' | 'failed' | 'saving' | 'added';

export class Candidate {
  readonly entry: Entry;
  name = $state('');
  phase = $state<Phase>('new');
  trial = $state.raw<ServerTrialResult>();
  readonly adding = new Asking();

  constructor(name: string, entry: Entry) {
    this.name = name;
    this.entry = entry;
  }

  get isBusy(): boolean {
    return this.phase === 'testing' || this.phase === 'saving';
  }

  /** Never rejects: how it went is in `phase`. */
  async add(untried = false): Promise<void> {
    const isDone = await this.adding.run(async () => {
      if (!untried && !(await this.#works())) return;
      this.phase = 'saving';
      await api.ask('saveServer', { name: this.name.trim(), entry: this.entry, replace: false });
      this.phase = 'added';
    });
    if (!isDone) this.phase = 'failed';
  }

  async #works(): Promise<boolean> {
    this.phase = 'testing';
    this.trial = undefined;
    this.trial = await api.ask('tryServer', { entry: this.entry });
    if (!this.trial.ok) this.phase = 'failed';
    return this.trial.ok;
  }
}
