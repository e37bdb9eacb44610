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
 * `cadre` gets its own.
 */
export function offerCadre(): void {
  if (offered) return
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
