/** The flags of client apps' own `mcp add` commands, and what each says about the server. */

// As the help and documentation of Claude Code, Codex, Gemini CLI, Qwen Code, Amp, Droid, Kiro and Auggie write them.

export type FlagMeaning =
  | { readonly as: Setting }
  /** It says where the app keeps the server, or how it asks: nothing that a server here has. A note where people would miss it. */
  | { readonly as: 'nothing'; readonly takesValue: boolean; readonly note?: string };

type Setting =
  | 'env'
  | 'header'
  | 'transport'
  | 'url'
  | 'bearer'
  | 'name'
  | 'command'
  | 'args'
  | 'description'
  | 'timeout'
  | 'only'
  | 'without'
  | 'clientId'
  | 'callbackPort'
  | 'cwd';

const setting = (as: Setting): FlagMeaning => ({ as });
const where: FlagMeaning = { as: 'nothing', takesValue: true };
const said = (note: string): FlagMeaning => ({ as: 'nothing', takesValue: false, note });

const meanings: Readonly<Record<string, FlagMeaning>> = {
  '-e': setting('env'),
  '--env': setting('env'),
  '-H': setting('header'),
  '--header': setting('header'),
  '-t': setting('transport'),
  '--transport': setting('transport'),
  '--type': setting('transport'),
  '--url': setting('url'),
  '--bearer-token-env-var': setting('bearer'),
  '--name': setting('name'),
  '--command': setting('command'),
  '--args': setting('args'),
  '--description': setting('description'),
  '--timeout': setting('timeout'),
  '--include-tools': setting('only'),
  '--exclude-tools': setting('without'),
  '--client-id': setting('clientId'),
  '--oauth-client-id': setting('clientId'),
  '--callback-port': setting('callbackPort'),
  '--cwd': setting('cwd'),
  '-s': where,
  '--scope': where,
  '--agent': where,
  '--client-secret': said('--client-secret asks for a secret: write it into "oauth" of the entry.'),
  '--trust': said('--trust has no effect: which tools ask first is said by your app and your policy here.'),
  '--no-trust': { as: 'nothing', takesValue: false },
  '--force': { as: 'nothing', takesValue: false },
};

/** undefined: nobody here knows it. */
export function flagMeaning(flag: string): FlagMeaning | undefined {
  return Object.hasOwn(meanings, flag) ? meanings[flag] : undefined;
}
