import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

type Environment = { readonly [name: string]: string | undefined }

/** The variable with a token that the language server prefers to every stored sign-in. */
export function tokenVariable(env: Environment): 'GH_COPILOT_TOKEN' | 'GITHUB_COPILOT_TOKEN' | undefined {
  // The server takes a value with `=` for a token of another kind, and passes over it.
  if (env['GH_COPILOT_TOKEN'] && !env['GH_COPILOT_TOKEN'].includes('=')) return 'GH_COPILOT_TOKEN'
  return env['GITHUB_COPILOT_TOKEN'] ? 'GITHUB_COPILOT_TOKEN' : undefined
}

/**
 * Changes whenever a stored sign-in may have changed, of Cadre or of an editor; undefined when there can be none. The files are the
 * language server's own, and their content is its own business.
 */
export function storedSignIns(env: Environment): string | undefined {
  const folder = signInFolder(env)
  const stamps = ['auth.db', 'auth.db-wal', 'apps.json', 'hosts.json'].flatMap((name) => {
    const stats = statSync(path.join(folder, name), { throwIfNoEntry: false })
    return stats === undefined ? [] : [`${name} ${stats.size} ${stats.mtimeMs}`]
  })
  return stamps.length === 0 ? undefined : stamps.join(', ')
}

/** Where the language server keeps sign-ins, for Cadre and for editors. */
export function signInFolder(env: Environment): string {
  const configured = env['XDG_CONFIG_HOME']
  if (configured !== undefined && path.isAbsolute(configured)) return path.join(configured, 'github-copilot')
  if (process.platform === 'win32')
    return path.join(env['USERPROFILE'] || homedir(), 'AppData', 'Local', 'github-copilot')
  return path.join(env['HOME'] || homedir(), '.config', 'github-copilot')
}
