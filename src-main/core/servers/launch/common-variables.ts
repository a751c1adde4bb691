/**
 * Environment variables that every program may need and that contain no credentials: paths, language, proxies. A server
 * gets the user's other variables only by name.
 */

const places = ['HOME', 'PATH', 'TMPDIR', 'TMP', 'TEMP', 'XDG_*_HOME', 'XDG_*_DIRS', 'XDG_RUNTIME_DIR'];
const person = ['LOGNAME', 'USER', 'SHELL', 'TERM', 'COLORTERM', 'LANG', 'LANGUAGE', 'LC_*', 'TZ'];
/** Display variables for servers that open a browser. */
const screen = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_SESSION_TYPE'];
const network = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'NODE_USE_ENV_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE'],
  ...['CURL_CA_BUNDLE', 'npm_config_registry', 'npm_config_prefix', 'npm_config_cache'],
];
/** Folders of version managers and package managers. Their other variables may hold tokens. */
const tools = [
  ...['NVM_DIR', 'NVM_BIN', 'NVM_SYMLINK', 'NVM_HOME', 'N_PREFIX', 'FNM_DIR', 'FNM_MULTISHELL_PATH', 'VOLTA_HOME'],
  ...['ASDF_DIR', 'ASDF_DATA_DIR', 'MISE_DATA_DIR', 'MISE_CONFIG_DIR', 'MISE_CACHE_DIR', 'PNPM_HOME', 'BUN_INSTALL'],
  ...['DENO_DIR', 'DENO_INSTALL', 'COREPACK_HOME', 'PYENV_ROOT', 'PYENV_VERSION', 'VIRTUAL_ENV', 'CONDA_PREFIX'],
  ...['UV_CACHE_DIR', 'UV_TOOL_DIR', 'UV_TOOL_BIN_DIR', 'UV_PYTHON_INSTALL_DIR', 'PIPX_HOME', 'RBENV_ROOT', 'GEM_HOME'],
  ...['GOPATH', 'GOROOT', 'GOBIN', 'CARGO_HOME', 'RUSTUP_HOME', 'JAVA_HOME', 'SDKMAN_DIR', 'DOTNET_ROOT'],
  ...['HOMEBREW_PREFIX', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'PLAYWRIGHT_BROWSERS_PATH'],
  'NODE_COMPILE_CACHE',
];
const windows = [
  ...['ALLUSERSPROFILE', 'APPDATA', 'COMMONPROGRAMFILES', 'COMMONPROGRAMFILES(X86)', 'COMMONPROGRAMW6432'],
  ...['COMPUTERNAME', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'NUMBER_OF_PROCESSORS', 'OS', 'PATHEXT'],
  ...['PROCESSOR_*', 'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'PSMODULEPATH', 'PUBLIC'],
  ...['SYSTEMDRIVE', 'SYSTEMROOT', 'USERDOMAIN', 'USERNAME', 'USERPROFILE', 'WINDIR'],
];

const posixCommon = [...places, ...person, ...screen, ...network, ...tools];
const patterns = {
  posix: toPattern(posixCommon, ''),
  // On Windows `Path` and `PATH` are the same variable.
  windows: toPattern([...posixCommon, ...windows], 'i'),
};

/** Whether every server gets this variable. */
export function isCommonVariable(name: string, platform: NodeJS.Platform): boolean {
  return patterns[platform === 'win32' ? 'windows' : 'posix'].test(name);
}

function toPattern(names: readonly string[], flags: string): RegExp {
  const each = names.map((name) => name.replace(/[()]/g, '\\$&').replace('*', '\\w+'));
  return new RegExp(`^(?:${each.join('|')})$`, flags);
}
