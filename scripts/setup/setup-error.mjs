/** A failure of set-up that a user can fix: shown as its sentence, without a stack. */
export class SetupError extends Error {
  name = 'SetupError';
}
