import * as nodeModule from 'node:module'

type NextResolve = (specifier: string, context?: object) => unknown
interface SyncHooks {
  readonly registerHooks?: (hooks: {
    resolve(specifier: string, context: object, nextResolve: NextResolve): unknown
  }) => void
}

let offered = false

/**
 * Lets modules of users import `cadre` where their own project does not have it: they then get this copy. A project that depends on
 * `cadre` gets its own. Where this copy is part of another program, such as an editor's extension, there is nothing to offer: how
 * that process finds modules is then left as it is.
 */
export function offerCadre(): void {
  if (offered || !hasCadre(import.meta.url)) return
  offered = true
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

/** The same for Node 20, which asks hooks in a thread of their own. */
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

/** Whether a module at this place can import `cadre`, as those of the package itself can. */
export function hasCadre(place: string): boolean {
  try {
    nodeModule.createRequire(place).resolve('cadre')
    return true
  } catch {
    return false
  }
}
