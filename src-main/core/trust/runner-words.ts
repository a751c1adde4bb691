/**
 * Words and variables that make a package runner, a container engine or an interpreter run something else than the
 * entry names: another package source, code on the command line, a container with access to the computer. Tables and
 * their readers.
 */
import { programName } from './pins/launch-fingerprint.ts';

export type Runner = 'npm' | 'python' | 'container' | 'dotnet';

const runners: readonly (readonly [Runner, RegExp])[] = [
  ['npm', /^(?:npx|npm|pnpm|pnpx|yarn|bunx|bun)$/],
  ['python', /^(?:uvx|uv|pipx|pip3?)$/],
  ['container', /^(?:docker|podman|nerdctl)$/],
  ['dotnet', /^(?:dnx|dotnet)$/],
];

/** Returns which kind of packages a command fetches; undefined if it is no package runner. */
export function runnerOf(command: string): Runner | undefined {
  const name = programName(command);
  return runners.find(([, names]) => names.test(name))?.[0];
}

/** Variables that set the package source. */
const sourceVariables: Readonly<Record<Runner, RegExp>> = {
  npm: /^(?:npm_config_|bun_config_|yarn_)(?:@[^:]+:)?(?:npm_)?registry(?:_server)?$/i,
  python:
    /^(?:UV_(?:DEFAULT_INDEX|INDEX|INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS)|PIP_(?:INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS))$/i,
  container: /^DOCKER_HOST$/i,
  dotnet: /^NUGET_(?:SOURCE|PACKAGE_SOURCE)\w*$/i,
};

/** Other settings of a runner. */
const settingVariables: Readonly<Record<Runner, RegExp>> = {
  npm: /^(?:npm_config_|npm_package_|bun_|yarn_|pnpm_|corepack_)/i,
  python: /^(?:UV_|PIP_|PIPX_|VIRTUAL_ENV$|CONDA_)/i,
  container: /^(?:DOCKER_|CONTAINERS?_|PODMAN_|BUILDKIT_|BUILDAH_|STORAGE_|REGISTRY_AUTH|XDG_)/i,
  dotnet: /^(?:NUGET_|DOTNET_|MSBUILD|COREHOST_)/i,
};

/** Variables that make the system's loader, a shell or an interpreter run code before the program. */
const loads =
  /^(?:LD_\w+|DYLD_\w+|NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|PYTHON(?:PATH|STARTUP|HOME|USERBASE|INSPECT|BREAKPOINT)|PATH|PATHEXT|COMSPEC|BASH_ENV|ZDOTDIR|IFS|PERL5(?:OPT|LIB|DB)|PERLLIB|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|CLASSPATH|GEM_(?:HOME|PATH)|BUNDLE_GEMFILE|DOTNET_STARTUP_HOOKS|ELECTRON_RUN_AS_NODE|GIT_(?:SSH|SSH_COMMAND|EXEC_PATH|CONFIG\w*|PROXY_COMMAND)|HOME|USERPROFILE|XDG_CONFIG_HOME)$/i;

/** Variables that would let an attacker intercept a package source. */
const trusts =
  /^(?:(?:https?|all)_proxy|NODE_TLS_REJECT_UNAUTHORIZED|NODE_EXTRA_CA_CERTS|NODE_USE_ENV_PROXY|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|PYTHONHTTPSVERIFY)$/i;

export type Steering = 'source' | 'setting' | 'load' | 'trust';

/** Returns how a variable affects what is run; undefined if only the program uses it. */
export function steeringOf(runner: Runner | undefined, name: string): Steering | undefined {
  if (runner !== undefined && sourceVariables[runner].test(name)) return 'source';
  if (runner !== undefined && settingVariables[runner].test(name)) return 'setting';
  // In a container they affect its content; the engine itself is loaded by the system.
  if (runner === 'container') return /^(?:LD_|DYLD_|PATH$|HOME$|USERPROFILE$)/i.test(name) ? 'load' : undefined;
  if (loads.test(name)) return 'load';
  return runner !== undefined && trusts.test(name) ? 'trust' : undefined;
}

/** `registry` for `--reg=`: npm accepts any unambiguous prefix of an option. */
const npmNames = ['registry', 'call', 'userconfig', 'globalconfig', 'node-options', 'script-shell', 'prefix'];
const npmShortest = 3;

const steeringOptions: Readonly<Record<Runner, RegExp>> = {
  npm: /^(?:--@[^=]+:registry|--config\..*|-c.*)$/i,
  python:
    /^(?:-i.*|-f.*|-c.*|--(?:index|index-url|default-index|extra-index-url|find-links|constraints?|overrides?|config-file|directory|project|allow-insecure-host|trusted-host|keyring-provider|index-strategy|env-file|pip-args|python|with|with-editable|with-requirements|build-constraints?))$/,
  // Another daemon, or another configuration of the client.
  container: /^(?:-H.*|--(?:host|context|config|connection|url|root|identity|storage-opt))$/,
  dotnet: /^--(?:source|add-source|configfile)$/,
};

/** Returns the words of a runner that make it fetch or run something else than the package that it names. */
export function steeringWords(runner: Runner, words: readonly string[]): readonly string[] {
  const own = runner === 'container' ? words.slice(0, words.indexOf('run') + 1) : words;
  return own.filter((word) => {
    if (!word.startsWith('-')) return false;
    const name = word.split('=', 1)[0] ?? word;
    if (steeringOptions[runner].test(name)) return true;
    const letters = name.replace(/^--(?:no-)?/, '').toLowerCase();
    return runner === 'npm' && name.startsWith('--') && isBeginning(letters);
  });
}

function isBeginning(letters: string): boolean {
  return letters.length >= npmShortest && npmNames.some((name) => name.startsWith(letters));
}

/** Options of `docker run` that give the container access to the computer. */
const wayOut: Readonly<Record<string, RegExp | undefined>> = {
  '--privileged': undefined,
  '--pid': /^host$|^container:/,
  '--ipc': /^host$|^container:/,
  '--uts': /^host$/,
  '--userns': /^host$/,
  '--cgroupns': /^host$/,
  '--network': /^host$|^container:/,
  '--net': /^host$|^container:/,
  '--cap-add': /^(?:ALL|(?:CAP_)?(?:SYS_\w+|DAC_\w+|NET_ADMIN|NET_RAW|BPF|PERFMON|SETUID|SETGID))$/i,
  '--device': /./,
  '--security-opt': /(?:unconfined|disable|no-new-privileges[:=]false)/,
  '--volumes-from': /./,
  '--use-api-socket': undefined,
  '--volume': /docker\.sock|podman\.sock|containerd\.sock/,
  '--mount': /docker\.sock|podman\.sock|containerd\.sock/,
};

/** Returns options of a container engine, each with its value, that give its container access to the computer. */
export function waysOut(words: readonly string[]): readonly string[] {
  return containerOptions(words).flatMap(({ name, value }) => {
    if (!Object.hasOwn(wayOut, name)) return [];
    const opening = wayOut[name];
    if (opening === undefined) return value === 'false' ? [] : [name];
    return value !== undefined && opening.test(value) ? [`${name} ${value}`] : [];
  });
}

interface ContainerOption {
  /** The long name, if there is one. */
  readonly name: string;
  readonly value: string | undefined;
}

const longNames: Readonly<Record<string, string>> = {
  '-v': '--volume',
  '-e': '--env',
  '-p': '--publish',
  '-w': '--workdir',
  '-u': '--user',
  '-h': '--hostname',
  '-l': '--label',
  '-m': '--memory',
};

/** Parses the options of a container engine: `-v/:/x`, `-v /:/x`, `-iv /:/x` and `--volume=/:/x` are equivalent. */
export function containerOptions(words: readonly string[]): readonly ContainerOption[] {
  return words.flatMap((word, at): ContainerOption[] => {
    const [, long, joined] = /^(--[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (long !== undefined) return [{ name: long, value: joined ?? words[at + 1] }];
    // Switches may be joined before an option with a value.
    const [, letter, rest = ''] = /^-[dit]*([a-zA-Z])(.*)$/s.exec(word) ?? [];
    if (letter === undefined) return [];
    const short = `-${letter}`;
    return [{ name: longNames[short] ?? short, value: rest === '' ? words[at + 1] : rest.replace(/^=/, '') }];
  });
}

const interpreters: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:node|nodejs|electron)$/,
    /^(?:-[a-z]*[ep][a-z]*|--eval|--print)$|^(?:-e|-p|--eval=|--print=).|^(?:--[\w-]+=)?data:/,
  ],
  [/^env$/, /^(?:-[a-zA-Z]*S|--split-string)/],
  [/^(?:bun|deno|tsx|ts-node)$/, /^(?:-e|-p|--eval|--print|eval)$|^(?:--eval|--print)=/],
  [/^python[\d.]*$|^pythonw$|^pypy[\d.]*$/, /^-[a-zA-Z]*c/],
  [/^(?:ruby|lua[\d.]*)$/, /^-[a-zA-Z]*e/],
  [/^perl[\d.]*$/, /^-[a-zA-Z]*[eE]/],
  [/^php[\d.]*$/, /^(?:-[rBRE]|--run|--process-\w+)/],
  [/^(?:osascript|Rscript|julia|elixir|ghc|groovy)$/i, /^(?:-e|-E|--eval)/],
  [/^(?:sh|bash|zsh|dash|fish|ksh|ash)$/, /^(?:-[a-zA-Z]*c[a-zA-Z]*|--command(?:=.*)?)$/],
  [/^(?:cmd)$/, /^\/[ckr]/i],
  [/^(?:powershell|pwsh)$/, /^[-/](?:c|co|com|comm|comma|comman|command|e|ec|en|enc|encodedcommand)$/i],
];

/**
 * Returns the option that passes a program to an interpreter on the command line, wherever the interpreter is among
 * the words.
 */
export function inlineProgram(words: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    const name = programName(word);
    const options = interpreters.find(([names]) => names.test(name))?.[1];
    if (options === undefined) continue;
    // Options after the script belong to the script.
    for (const next of words.slice(at + 1)) {
      if (options.test(next)) return next;
      if (!/^[-/]/.test(next)) break;
    }
  }
  return undefined;
}

/** Returns whether one part of a name mixes letters of several scripts, as look-alike names do. */
export function mixesScripts(name: string): boolean {
  return name
    .split(/[^\p{L}\p{M}]+/u)
    .some(
      (part) =>
        [
          /\p{Script=Latin}/u,
          /\p{Script=Cyrillic}/u,
          /\p{Script=Greek}/u,
          /\p{Script=Armenian}/u,
          /\p{Script=Cherokee}/u,
        ].filter((script) => script.test(part)).length > 1,
    );
}
