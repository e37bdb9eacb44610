const passed = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'TMPDIR',
  'TEMP',
  'TMP',
  'CI',
  'NO_COLOR',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'USERPROFILE',
  'USERNAME',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMFILES',
  'PROGRAMDATA',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'NODE_PATH',
  'NVM_DIR',
  'JAVA_HOME',
  'GOPATH',
  'GOROOT',
  'GOCACHE',
  'CARGO_HOME',
  'RUSTUP_HOME',
  'VIRTUAL_ENV',
  'CONDA_PREFIX',
  'DOTNET_ROOT',
])

/**
 * Returns the variables that a program needs to run, without keys and tokens. `allowed` are additional names, exactly as
 * written.
 */
export function cleanEnvironment(
  environment: NodeJS.ProcessEnv,
  allowed: readonly string[],
): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => isPlainVariable(name) || allowed.includes(name)),
  )
}

/** True if every program gets this variable. */
export function isPlainVariable(name: string): boolean {
  return passed.has(name.toUpperCase()) || name.toUpperCase().startsWith('LC_')
}
