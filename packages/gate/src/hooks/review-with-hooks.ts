import type { Review, Reviewer } from '@cadre/core'
import type { HookParts } from './create-hooks.ts'
import { noticesOf } from './hook-runner.ts'

/** Stop for an entry session, SubagentStop for every other. Each can send the report back, as often as core permits. */
export function reviewWithHooks({ hooksFor, runner, tell, place }: HookParts): Reviewer {
  return ({ report, stops }, session, signal) => {
    const event = session.parent === undefined ? 'Stop' : 'SubagentStop'
    const { type, name } = session.agent
    const values = [...(type === undefined ? [] : [type]), name]
    const hooks = hooksFor(
      event,
      session,
      event === 'Stop' ? { kind: 'nothing' } : { kind: 'values', values },
    )
    return hooks.length === 0 ? { kind: 'accept' } : ask()

    async function ask(): Promise<Review> {
      const reasons: string[] = []
      for (const hook of hooks) {
        const happening = { event, text: report.text, active: stops > 0 } as const
        const answer = await runner.run(hook, happening, session, signal)
        for (const notice of noticesOf(place(hook), answer)) tell(notice)
        // A hook that ends the session takes precedence over one that continues it.
        if (answer.stop !== undefined) return { kind: 'accept' }
        if (answer.blocked !== undefined) reasons.push(`${answer.blocked} (hook ${place(hook)})`)
      }
      return reasons.length === 0
        ? { kind: 'accept' }
        : { kind: 'return', reason: reasons.join('\n\n'), by: 'stop' }
    }
  }
}
