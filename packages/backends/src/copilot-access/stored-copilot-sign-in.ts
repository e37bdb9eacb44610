import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

type Environment = { readonly [name: string]: string | undefined }

/** The variable with a token that takes precedence over every stored sign-in. */
export function tokenVariable(env: Environment): 'GH_COPILOT_TOKEN' | 'GITHUB_COPILOT_TOKEN' | undefined {
  // The server treats a value with `=` as another kind of token, and skips it.
  if (env['GH_COPILOT_TOKEN'] && !env['GH_COPILOT_TOKEN'].includes('=')) return 'GH_COPILOT_TOKEN'
  return env['GITHUB_COPILOT_TOKEN'] ? 'GITHUB_COPILOT_TOKEN' : undefined
}

/**
 * Changes whenever a stored sign-in of Cadre or an editor may have changed; undefined if there can be none. The language
 * server owns these files, so their content is not read.
 */
export function storedSignIns(env: Environment): string | undefined {
  const folder = signInFolder(env)
  const stamps = ['auth.db', 'auth.db-wal', 'apps.json', 'hosts.json'].flatMap((name) => {
    const stats = statSync(path.join(folder, name), { throwIfNoEntry: false })
    return stats === undefined ? [] : [`${name} ${stats.size} ${stats.mtimeMs}`]
  })
  return stamps.length === 0 ? undefined : stamps.join(', ')
}

/** The folder in which the language server stores sign-ins, for Cadre and for editors. */
export function signInFolder(env: Environment): string {
  const configured = env['XDG_CONFIG_HOME']
  if (configured !== undefined && path.isAbsolute(configured)) return path.join(configured, 'github-copilot')
  if (process.platform === 'win32')
    return path.join(env['USERPROFILE'] || homedir(), 'AppData', 'Local', 'github-copilot')
  return path.join(env['HOME'] || homedir(), '.config', 'github-copilot')
}
