import type { Answerer, Verdict } from '@cadre/core'
import type { HookParts } from './create-hooks.ts'
import { noticesOf } from './hook-runner.ts'
import { toHostCalls } from './host-calls.ts'
import { hookReason, ruleOf } from './judge-with-hooks.ts'

/** PermissionRequest: hooks that answer for a person. One denial outweighs all permissions. */
export function answerWithHooks({ hooksFor, runner, tell, place }: HookParts): Answerer {
  return ({ call }, session, signal) => {
    const hooks = hooksFor('PermissionRequest', session, { kind: 'call', call, session })
    return hooks.length === 0 ? undefined : ask()

    async function ask(): Promise<Verdict | undefined> {
      let allowed: Verdict | undefined
      for (const hook of hooks) {
        const at = place(hook)
        const rule = ruleOf(at)
        const said = toHostCalls(call, hook, session.workspace)
        let permitted = 0
        for (const one of said) {
          const happening = { event: 'PermissionRequest', call: call.call.id, said: one } as const
          const answer = await runner.run(hook, happening, session, signal)
          for (const notice of noticesOf(at, answer)) tell(notice)
          const { decision, reason, stop } = answer
          if (decision === 'deny' || stop !== undefined)
            return {
              kind: 'deny',
              by: 'hook',
              rule,
              reason: hookReason(at, reason),
              ...(stop !== undefined && { stop }),
            }
          if (decision === 'allow') permitted += 1
        }
        // For a call about several files, each must be permitted.
        if (permitted === said.length)
          allowed ??= { kind: 'allow', by: 'hook', rule, reason: hookReason(at, 'permitted') }
      }
      return allowed
    }
  }
}
