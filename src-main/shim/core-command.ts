/** How a core is started from here: by what the launcher of the installed app names, else by our own command line. */

export interface CoreCommand {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** `cliFile` is the command line's script; `config` what `--config` said. */
export function coreCommand(cliFile: string, config: string | undefined): CoreCommand {
  const given = process.env['TOOLTRAY_CORE_COMMAND'];
  if (given === undefined) {
    const options = ['--no-open', '--background', ...(config === undefined ? [] : ['--config', config])];
    return { command: [process.execPath, cliFile, 'serve', ...options], env: process.env };
  }
  // The launcher of the installed app runs the app as Node to be a shim; the core it names is the app as itself.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  return { command: JSON.parse(given) as string[], env };
}
