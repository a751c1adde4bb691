/**
 * The flags of client apps' own `mcp add` commands and what each says about the server; and the lines that install and
 * start nothing.
 */

// As the help and documentation of Claude Code, Codex, Gemini CLI, Qwen Code, Amp, Droid, Kiro, Amazon Q, Auggie, Kimi
// and OpenHands write them.

export type FlagMeaning =
  | { readonly as: Setting }
  /**
   * It says where the app keeps the server, or how it asks: nothing that a server here has. A note where users would
   * miss it.
   */
  | { readonly as: 'nothing'; readonly takesValue: boolean; readonly note?: string };

/** Keys of an entry as the one reader knows them, and `name`. */
export type Setting =
  | 'env'
  | 'headers'
  | 'type'
  | 'url'
  | 'bearer_token_env_var'
  | 'name'
  | 'command'
  | 'args'
  | 'description'
  | 'timeout_ms'
  | 'enabledTools'
  | 'disabledTools'
  | 'clientId'
  | 'callbackPort'
  | 'cwd'
  /** A switch without a value. */
  | 'disabled';

const setting = (as: Setting): FlagMeaning => ({ as });
const where: FlagMeaning = { as: 'nothing', takesValue: true };
const switchOnly: FlagMeaning = { as: 'nothing', takesValue: false };
const noted = (note: string): FlagMeaning => ({ as: 'nothing', takesValue: false, note });

const meanings: Readonly<Record<string, FlagMeaning>> = {
  '-e': setting('env'),
  '--env': setting('env'),
  '-H': setting('headers'),
  '--header': setting('headers'),
  '--headers': setting('headers'),
  '-t': setting('type'),
  '--transport': setting('type'),
  '--type': setting('type'),
  '-u': setting('url'),
  '--url': setting('url'),
  '--bearer-token-env-var': setting('bearer_token_env_var'),
  '-n': setting('name'),
  '--name': setting('name'),
  '-c': setting('command'),
  '--command': setting('command'),
  '-a': setting('args'),
  '--args': setting('args'),
  '--description': setting('description'),
  '--timeout': setting('timeout_ms'),
  '--include-tools': setting('enabledTools'),
  '--tools': setting('enabledTools'),
  '--exclude-tools': setting('disabledTools'),
  '--client-id': setting('clientId'),
  '--oauth-client-id': setting('clientId'),
  '--callback-port': setting('callbackPort'),
  '--cwd': setting('cwd'),
  '-s': where,
  '--scope': where,
  '--agent': where,
  '--auth': where,
  '--client-secret': noted('--client-secret asks for a secret: write it into "oauth" of the entry.'),
  '--trust': noted('--trust has no effect: your app and your policy here decide which tools ask first.'),
  '--no-trust': switchOnly,
  '--force': switchOnly,
  '--replace': switchOnly,
  '--disabled': setting('disabled'),
};

/** Returns undefined for an unknown flag. */
export function flagMeaning(flag: string): FlagMeaning | undefined {
  return Object.hasOwn(meanings, flag) ? meanings[flag] : undefined;
}

/** Lines that fetch a package or set an app up. */
const installers: readonly RegExp[] = [
  /^(?:sudo\s+)?(?:npm|pnpm|bun|yarn)\s+(?:global\s+)?(?:i|install|add|ci|link)(?:\s|$)/,
  /^(?:sudo\s+)?(?:pip3?|pipx|conda|mamba|brew|apt|apt-get|dnf|pacman|winget|choco|scoop|cargo|gem)\s+(?:install|add|-S)\s/,
  /^python3?\s+-m\s+pip\s+install\s/,
  /^uv\s+(?:tool\s+install|pip\s+install|add|sync)(?:\s|$)/,
  /^(?:go|deno|dotnet\s+tool|code|cursor)\s+(?:install|--install-extension)\s/,
  /^(?:docker|podman)\s+(?:pull|build)\s/,
  /^git\s+clone\s/,
  /^(?:npx|bunx|pnpx|pnpm\s+dlx)\s+(?:-\S+\s+)*@smithery\/cli\S*\s+(?:install|mcp\s+add)\s/,
  /^(?:npx|bunx|uvx)\s+(?:-\S+\s+)*(?:add-mcp|install-mcp|mcp-install|@\S+\/install-mcp)(?:@\S+)?(?:\s|$)/,
  /^(?:npx|bunx|uvx)\s+(?:-\S+\s+)*\S+\s+(?:install|setup|init|configure)(?:\s|$)/,
  /^(?:fastmcp|mcp)\s+install\s/,
  /^(?:gemini|qwen)\s+extensions\s+install\s/,
  /^claude\s+plugin\s+(?:install|marketplace)\s/,
];

export function isInstaller(line: string): boolean {
  return installers.some((pattern) => pattern.test(line));
}

/** Programs that start servers; if one is missing, the connection test names what to install. */
export const runners: ReadonlySet<string> = new Set(
  'npx node npm pnpm bunx bun deno uvx uv python python3 pipx docker podman go java dotnet dnx'.split(' '),
);
