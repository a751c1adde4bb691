/** The commands there are: one line each, loaded when used. */

export interface CommandModule {
  /** Resolves to the exit code; throws AppError, `bad_request` for wrong use. */
  run(args: readonly string[]): Promise<number>;
}

export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Arguments as the help shows them. */
  readonly form: string;
  readonly about: string;
  readonly load: () => Promise<CommandModule>;
}

export const commands: readonly Command[] = [
  {
    name: 'serve',
    form: '[--config F] [--mode M] [--port N] [--no-open] [--no-token]',
    about: 'run the core and its dashboard',
    load: () => import('./serve.ts'),
  },
  {
    name: 'stdio',
    form: '[--app NAME] [--mode M] [--config F] [--standalone]',
    about: 'what a client app starts',
    load: () => import('./standalone.ts'),
  },
];
