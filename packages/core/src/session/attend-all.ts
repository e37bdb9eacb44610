import type { Attend, Attention } from '../ports/moment.ts'

/** Calls all listeners one after the other, and combines their responses. */
export function attendAll(all: readonly Attend[]): Attend {
  const [only, ...others] = all
  if (only !== undefined && others.length === 0) return only
  return async (moment, session, signal) => {
    let said: Attention | undefined
    for (const attend of all) said = combineAttention(said, await attend(moment, session, signal))
    return said
  }
}

function combineAttention(a: Attention | undefined, b: Attention | undefined): Attention | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const context = [a.context, b.context].filter((text) => text).join('\n\n')
  return {
    ...a,
    ...b,
    ...(context !== '' && { context }),
    ...((a.blocked ?? b.blocked) && { blocked: a.blocked ?? b.blocked }),
    ...((a.stop ?? b.stop) && { stop: a.stop ?? b.stop }),
    notices: [...(a.notices ?? []), ...(b.notices ?? [])],
  } as Attention
}
