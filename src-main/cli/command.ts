/** What a command of the command line is, as data. */

export interface CommandModule {
  /** `form` is how the command is used, for errors. Resolves to the exit code; throws AppError, `bad_request` for wrong use. */
  readonly run: (args: readonly string[], form: string) => Promise<number>;
}

export interface Command {
  readonly name: string;
  /** Arguments as the help shows them. */
  readonly form: string;
  /** A few words for the overview. */
  readonly about: string;
  /** What the command's own help says besides, line by line. */
  readonly details?: readonly string[];
  /** Under which heading the overview has it; without one it is left out. */
  readonly group?: 'Run' | 'Client apps' | 'Servers' | 'Tools' | 'Look after it';
  readonly load: () => Promise<CommandModule>;
}
