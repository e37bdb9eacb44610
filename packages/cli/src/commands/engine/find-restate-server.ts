import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { CadreError } from '@cadre/core'

type Environment = { readonly [name: string]: string | undefined }

/** The version that Cadre is tested with. */
const version = '1.7.12'

/**
 * Finds the program of the Restate server, which is not part of Cadre. Never searches the workspace, because a cloned folder must not
 * decide which program runs. In order: `CADRE_RESTATE_SERVER`, Cadre's installation folder for it, next to Cadre.
 */
export function findRestateServer(env: Environment): string {
  const chosen = env['CADRE_RESTATE_SERVER']?.trim()
  if (chosen) {
    if (path.isAbsolute(chosen) && existsSync(chosen)) return chosen
    throw new CadreError(
      'configuration',
      `CADRE_RESTATE_SERVER is set to ${chosen}, which is not the absolute path of a program. Set it to the path of restate-server.`,
    )
  }
  const program = path.join(...packageName.split('/'), 'bin', 'restate-server')
  const found = [path.join(folderOf(env), 'node_modules'), ...besideCadre()]
    .map((folder) => path.join(folder, program))
    .find((file) => existsSync(file))
  if (found !== undefined) return found
  throw new CadreError('configuration', missingMessage(env))
}

const packageName = `@restatedev/restate-server-${process.platform}-${process.arch}`

function missingMessage(env: Environment): string {
  if (process.platform === 'win32')
    return 'there is no Restate server for Windows. Run it in WSL or on another machine, and set engine.ingress and engine.admin in config.yaml.'
  return `the Restate server is not installed. Install it (about 230 MB) with: npm install --prefix ${folderOf(env)} ${packageName}@${version}`
}

function folderOf(env: Environment): string {
  const home = env['HOME'] ?? path.parse(process.cwd()).root
  const data = env['XDG_DATA_HOME']
  const base = data !== undefined && path.isAbsolute(data) ? data : path.join(home, '.local', 'share')
  return path.join(base, 'cadre', 'restate')
}

function besideCadre(): readonly string[] {
  return createRequire(import.meta.url).resolve.paths(packageName) ?? []
}
