/** Holds all servers still at a person's word: nothing is started and nothing called until they go on. */
import { AppError } from '../base/errors.ts';

export class Pause {
  #isOn = false;

  get isOn(): boolean {
    return this.#isOn;
  }

  set(isOn: boolean): void {
    this.#isOn = isOn;
  }

  /** What whoever wants something meanwhile is told. */
  refusal(server: string): AppError {
    return new AppError('paused', `Tooltray is paused, so ${server} is not running.`, {
      fix: 'The person can go on from the tray, from the dashboard, or with: tooltray resume.',
    });
  }
}
