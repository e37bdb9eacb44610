import { existsSync, realpathSync } from 'node:fs'
import * as nodeModule from 'node:module'
import path from 'node:path'

type NextResolve = (specifier: string, context?: object) => unknown
interface SyncHooks {
  readonly registerHooks?: (hooks: {
    resolve(specifier: string, context: object, nextResolve: NextResolve): unknown
  }) => void
}

let isOffered = false

/**
 * Lets user modules import `cadre` if their project does not have it: they then get this copy. A project that depends on
 * `cadre` gets its own. If this copy is embedded in another program, such as an editor extension, module resolution is not
 * changed.
 */
export function registerCadreResolver(): void {
  if (isOffered || !hasCadre(import.meta.url)) return
  isOffered = true
  const { registerHooks } = nodeModule as unknown as SyncHooks
  if (registerHooks === undefined) {
    nodeModule.register(asyncHooks, { data: import.meta.url })
    return
  }
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context)
      } catch (error) {
        if (!/^cadre(?:\/|$)/.test(specifier)) throw error
        return nextResolve(specifier, { ...context, parentURL: import.meta.url })
      }
    },
  })
}

const harmlessImport = /^import\s[^'"]*from\s*['"](node:[\w/]+|cadre(?:\/\w+)?)['"]/gm

/**
 * Returns whether this module could fail to find `cadre`. It could not if it imports only modules of Node, and `cadre` from a project
 * that has it. Anything else that looks like an import may lead to a module that needs the offer.
 */
export function mayLackCadre(source: string, file: string): boolean {
  let importsCadre = false
  const rest = source.replaceAll(harmlessImport, (_, name: string) => {
    importsCadre ||= !name.startsWith('node:')
    return ''
  })
  return /\b(?:import|require|from)\b/i.test(rest) || (importsCadre && !projectHasCadre(file))
}

/**
 * Returns whether `import` finds `cadre` from this file. `require` also searches NODE_PATH, which the command shims of
 * pnpm set, so a copy counts only if it is in a `node_modules` folder above the file.
 */
function projectHasCadre(file: string): boolean {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const place = path.join(folder, 'node_modules', 'cadre')
    if (existsSync(place)) return isUsable(place, file)
    if (folder === path.dirname(folder)) return false
  }
}

function isUsable(place: string, file: string): boolean {
  try {
    const found = nodeModule.createRequire(file).resolve('cadre')
    return existsSync(found) && found.startsWith(`${realpathSync(place)}${path.sep}`)
  } catch {
    return false
  }
}

/** The same for Node 20, which runs resolution hooks in a separate thread. */
const asyncHooks = `data:text/javascript,${encodeURIComponent(`
let own
export const initialize = (url) => { own = url }
export const resolve = async (specifier, context, nextResolve) => {
  try {
    return await nextResolve(specifier, context)
  } catch (error) {
    if (!/^cadre(?:\\/|$)/.test(specifier)) throw error
    return nextResolve(specifier, { ...context, parentURL: own })
  }
}`)}`

/** True if a module at this path can import `cadre`. */
export function hasCadre(place: string): boolean {
  try {
    nodeModule.createRequire(place).resolve('cadre')
    return true
  } catch {
    return false
  }
}
