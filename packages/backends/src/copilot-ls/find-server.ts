import { realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { copilotFolder } from '../copilot-folder.ts'
import { isProgram } from '../is-program.ts'

/** How the language server is started. */
export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
}

export interface ServerPaths {
  readonly env: { readonly [name: string]: string | undefined }
  /** `copilot.server` of the configuration: a program, or the folder of the package. */
  readonly configured?: string | undefined
}

const packageName = '@github/copilot-language-server'
const program = `copilot-language-server${process.platform === 'win32' ? '.exe' : ''}`

/**
 * Finds the language server, which is not part of Cadre. Never searches the workspace, because a cloned folder must not
 * decide which program runs. In order: `copilot.server`, `CADRE_COPILOT_SERVER`, Cadre's installation folder, next to
 * Cadre, `PATH`.
 */
export function findServer({ env, configured }: ServerPaths): ServerCommand | undefined {
  const chosen = configured ?? env['CADRE_COPILOT_SERVER']
  // If a server is configured, no other one is used. A relative path would be resolved in the workspace.
  if (chosen !== undefined && chosen !== '') return path.isAbsolute(chosen) ? serverAt(chosen) : undefined
  return (
    serverAt(path.join(copilotFolder(env), 'node_modules', packageName)) ??
    besideCadre() ??
    onPath(env['PATH'] ?? '')
  )
}

function serverAt(place: string): ServerCommand | undefined {
  const real = realPath(place)
  if (real === undefined) return undefined
  if (statSync(real).isDirectory()) return inPackage(real)
  // The package's script only starts the program next to it, and would leave it running when killed.
  const isScript = path.basename(real) === 'language-server.js'
  if (isScript) return inPackage(path.dirname(path.dirname(real)))
  if (/\.[cm]?js$/.test(real)) return { command: process.execPath, args: [real, '--stdio'] }
  return isProgram(real) ? { command: real, args: ['--stdio'] } : undefined
}

function inPackage(folder: string): ServerCommand | undefined {
  const native = `copilot-language-server-${process.platform}-${process.arch}`
  const candidates = [
    path.join(folder, 'node_modules', '@github', native, program),
    path.join(path.dirname(folder), native, program),
  ]
  const found = candidates.find(isProgram)
  if (found !== undefined) return { command: found, args: ['--stdio'] }
  const script = realPath(path.join(folder, 'dist', 'language-server.js'))
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const runsHere = major > 22 || (major === 22 && minor >= 13)
  return script !== undefined && runsHere
    ? { command: process.execPath, args: [script, '--stdio'] }
    : undefined
}

function besideCadre(): ServerCommand | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`)
    return inPackage(path.dirname(manifest))
  } catch {
    return undefined
  }
}

function onPath(list: string): ServerCommand | undefined {
  for (const folder of list.split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue
    const found = serverAt(path.join(folder, program))
    if (found !== undefined) return found
  }
  return undefined
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}
