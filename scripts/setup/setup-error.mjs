/** A failure of set-up that a person can mend: shown as its sentence, without a stack. */
export class SetupError extends Error {
  name = 'SetupError';
}
