import type { LifecycleHandler, LifecycleResponse } from '../ports/lifecycle-event.ts'

/** Calls all listeners one after the other, and combines their responses. */
export function combineHandlers(all: readonly LifecycleHandler[]): LifecycleHandler {
  const [only, ...others] = all
  if (only !== undefined && others.length === 0) return only
  return async (moment, session, signal) => {
    let said: LifecycleResponse | undefined
    for (const onLifecycleEvent of all)
      said = combineResponses(said, await onLifecycleEvent(moment, session, signal))
    return said
  }
}

function combineResponses(
  a: LifecycleResponse | undefined,
  b: LifecycleResponse | undefined,
): LifecycleResponse | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const context = [a.context, b.context].filter((text) => text).join('\n\n')
  return {
    ...a,
    ...b,
    ...(context !== '' && { context }),
    ...((a.blocked ?? b.blocked) && { blocked: a.blocked ?? b.blocked }),
    ...((a.stop ?? b.stop) && { stop: a.stop ?? b.stop }),
    notices: [...(a.notices ?? []), ...(b.notices ?? [])],
  } as LifecycleResponse
}
