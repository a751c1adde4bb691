/** A registry server about to be added: the user's inputs, the resulting command, and the test result. */
import type {
  AddServerOutcome,
  InstallOption,
  InstallPreviewDetails,
  RegistrySelection,
  ServerTrialResult,
} from '../../../../src-main/rpc/contract.ts';
import { api, type Output } from '../../../lib/api.ts';
import { RequestState } from '../../../lib/asking.svelte.ts';
import { type InputValues, initialInputs, withoutSecrets } from './registry-words.ts';
import { count } from '../../../lib/format.ts';

/** Debounce interval while the user types, in ms. */
const pauseMs = 200;

export class RegistryAddingState {
  name = $state('');
  inputs = $state.raw<InputValues>({});
  isTyped = $state(false);
  shown = $state.raw<InstallPreviewDetails>();
  trial = $state.raw<ServerTrialResult>();
  added = $state.raw<AddServerOutcome & { readonly kind: 'added' }>();
  /** Testing and adding; the preview is requested separately. */
  readonly asking = new RequestState();
  readonly previewing = new RequestState();
  readonly #found: Output<'registryServer'>;
  readonly #option: InstallOption;
  /** Missing inputs are shown only after a button was pressed. */
  #isNotified = $state(false);

  constructor(found: Output<'registryServer'>, option: InstallOption) {
    this.#found = found;
    this.#option = option;
    this.name = found.name;
    this.inputs = initialInputs(option.inputs);
  }

  get isBusy(): boolean {
    return this.asking.busy !== undefined;
  }

  /** What to do first; empty: nothing. */
  get hint(): string {
    if (!this.#isNotified) return '';
    if (this.name.trim() === '') return 'Name is required.';
    const missing = this.shown?.problems.length ?? 0;
    return missing === 0 ? '' : `${count(missing, 'required field')} missing.`;
  }

  problemOf(id: string): string | undefined {
    return this.#isNotified && this.added === undefined
      ? this.shown?.problems.find((one) => one.id === id)?.sentence
      : undefined;
  }

  answer(id: string, value: string): void {
    this.inputs = { ...this.inputs, [id]: value };
    this.isTyped = true;
    this.trial = undefined;
  }

  /** For an effect: previews the command for the current inputs; returns a function that cancels it. */
  preview(): () => void {
    // The preview shows what was added.
    if (this.added !== undefined) return () => undefined;
    const wish = this.#wish(withoutSecrets(this.#option.inputs, this.inputs));
    let stop = (): void => undefined;
    const ask = (): void => {
      stop = this.previewing.poll(async (signal) => {
        this.shown = await api.ask('registryPreview', wish, signal);
      });
    };
    const timer = setTimeout(ask, this.shown === undefined ? 0 : pauseMs);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }

  /** Never rejects; the outcome is in `trial`. */
  async test(): Promise<void> {
    if (!(await this.#isReady())) return;
    await this.asking.run(async () => {
      this.trial = undefined;
      this.trial = await api.ask('registryTest', this.#wish(this.inputs));
    }, 'testing');
  }

  /** Never rejects; the outcome is in `added` and `trial`. */
  async add(untested = false): Promise<void> {
    if (!(await this.#isReady())) return;
    await this.asking.run(async () => {
      this.trial = undefined;
      const adding = await api.ask('registryAdd', { ...this.#wish(this.inputs), name: this.name.trim(), untested });
      if (adding.kind === 'added') {
        this.added = adding;
        // They are in the vault now, and no longer needed in the page.
        const secrets = this.#option.inputs.filter(({ isSecret }) => isSecret).map(({ id }) => id);
        this.inputs = Object.fromEntries(Object.entries(this.inputs).filter(([id]) => !secrets.includes(id)));
      } else this.trial = adding.trial;
    }, 'adding');
  }

  /** Whether nothing is missing, according to the core, for exactly these inputs. */
  async #isReady(): Promise<boolean> {
    this.#isNotified = true;
    const wish = this.#wish(withoutSecrets(this.#option.inputs, this.inputs));
    const isKnown = await this.previewing.run(async (signal) => {
      this.shown = await api.ask('registryPreview', wish, signal);
    });
    return isKnown && this.hint === '';
  }

  #wish(values: InputValues): RegistrySelection {
    const { registry, server } = this.#found;
    return { registry, server: server.name, version: server.version, option: this.#option.id, inputs: values };
  }
}
