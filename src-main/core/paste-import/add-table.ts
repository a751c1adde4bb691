/** The flags of client apps' `mcp add` commands and their meaning, and lines that only install. */

// Source: the help and documentation of Claude Code, Codex, Gemini CLI, Qwen Code, Amp, Droid, Kiro, Amazon Q, Auggie,
// Kimi and OpenHands.

export type FlagMeaning =
  | { readonly as: Setting }
  /**
   * Says where the app stores the server, or how it asks, which has no equivalent here; with a note if users would
   * miss it.
   */
  | { readonly as: 'nothing'; readonly takesValue: boolean; readonly note?: string };

/** Keys of an entry as in the reader, and `name`. */
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
  '--client-secret': noted('--client-secret requires a secret: set it in "oauth" of the entry.'),
  '--trust': noted('--trust has no effect: your app and your policy decide which tools need approval.'),
  '--no-trust': switchOnly,
  '--oauth-resource': where,
  '--force': switchOnly,
  '--replace': switchOnly,
  '--disabled': setting('disabled'),
};

/** Returns undefined for an unknown flag. */
export function flagMeaning(flag: string): FlagMeaning | undefined {
  return Object.hasOwn(meanings, flag) ? meanings[flag] : undefined;
}

const managers =
  'npm|pnpm|bun|yarn|pip3?|pipx|uv|conda|mamba|brew|apt|apt-get|dnf|pacman|apk|winget|choco|scoop|snap|flatpak|nix|cargo|' +
  'gem|composer|go|deno|dotnet|asdf|mise|volta|gh|docker|podman|docker-compose|git|mcpm|mcp-get|smithery|fastmcp|mcp|' +
  'claude|gemini|qwen|/plugin';
const groups = 'global|tool|pip|plugin|marketplace|extensions?|profile|compose|mcp server|mcp catalog';
const verbs = 'i|install|add|ci|link|-S|pull|build|up|clone|tap|require|sync|use|get|enable|marketplace add';
const setups = 'install|add|setup|init|configure';
const runner = '(?:npx|bunx|pnpx|pnpm dlx|uvx(?: --from \\S+)?)(?: -\\S+)*';

/** Lines that fetch a package or set up an app, with single spaces. */
const installers: readonly RegExp[] = [
  `(?:${managers})(?: -\\S+)*(?: (?:${groups}))? (?:${verbs})`,
  '(?:npm|pnpm|yarn|bun) run (?:build|install|setup)',
  '(?:python3?|py) -m (?:pip install|venv)',
  `(?:${runner}|uv run) \\S+ (?:${setups})`,
  `${runner} @smithery/cli\\S* mcp add`,
  `${runner} (?:add-mcp|install-mcp|mcp-install|@\\S+/install-mcp)(?:@\\S+)?`,
  '(?:code|cursor|windsurf|codium) --install-extension',
  '(?:curl|wget|make|cd)',
].map((pattern) => new RegExp(`^(?:sudo )?${pattern}(?: |$)`));

/** Whether a line only installs something. */
export function isInstaller(line: string): boolean {
  return installers.some((pattern) => pattern.test(line.replace(/\s+/g, ' ')));
}

const pages =
  /^https?:\/\/(?:www\.)?(?:(?:github|gitlab|npmjs|pulsemcp)\.com|pypi\.org|hub\.docker\.com|smithery\.ai|glama\.ai\/mcp\/servers|mcp\.so|cursor\.directory)(?:\/|$)/;

/** Whether an address is that of a page about servers. */
export function isPage(address: string): boolean {
  return pages.test(address);
}

/** Programs that start servers; if one is missing, the connection test names what to install. */
export const runners: ReadonlySet<string> = new Set(
  'npx node npm pnpm yarn bunx bun deno uvx uv python python3 pipx docker podman go java dotnet dnx'.split(' '),
);
