import {
  type JsonObject,
  type JudgedCall,
  messageOf,
  type Rule,
  type RuleName,
  type SessionSpec,
  type Verdict,
} from '@cadre/core'
import type { HookParts } from './create-hooks.ts'
import type { Hook } from './hook.ts'
import { noticesOf } from './hook-runner.ts'
import { fromHostInput, toHostCalls } from './host-calls.ts'
import type { HookAnswer } from './read-answer.ts'

/**
 * PreToolUse as a rule of the gate. Hooks run one after the other, each with the arguments that the previous ones returned.
 * The administrator's hooks run last and judge the final call. The first denial ends it. A call without a matching hook is
 * answered immediately.
 */
export function judgeWithHooks({ hooksFor, runner, tell, place }: HookParts, immediate: boolean): Rule {
  return {
    by: 'hook',
    name: 'hooks',
    ...(immediate && { immediate: true }),
    judge(call, session, signal) {
      // A report ends a session and is not a tool call in any host: Stop and SubagentStop handle it.
      if (call.tool.kind === 'report') return undefined
      const hooks = hooksFor('PreToolUse', session, { kind: 'call', call, session })
      return hooks.length === 0 ? undefined : askAll(hooks, call, session, signal)
    },
  }

  async function askAll(
    hooks: readonly Hook[],
    call: JudgedCall,
    session: SessionSpec,
    signal: AbortSignal,
  ): Promise<Verdict | undefined> {
    let verdict: Verdict | undefined
    let input: JsonObject | undefined
    const contexts: string[] = []
    for (const hook of hooks) {
      const now = input === undefined ? call : { ...call, input }
      const at = place(hook)
      const rule = ruleOf(at)
      const answer = await askOne(hook, now, session, signal)
      for (const notice of noticesOf(at, answer)) tell(notice)
      if (answer.context !== undefined) contexts.push(answer.context)
      const context = contexts.length > 0 ? { context: contexts.join('\n\n') } : {}
      if (answer.stop !== undefined)
        return {
          kind: 'deny',
          by: 'hook',
          rule,
          reason: answer.reason ?? answer.stop,
          stop: answer.stop,
          ...context,
        }
      if (answer.decision === 'deny')
        return { kind: 'deny', by: 'hook', rule, reason: hookReason(at, answer.reason), ...context }
      if (answer.input !== undefined) input = answer.input
      verdict = stricter(verdict, hook, at, answer)
    }
    if (verdict === undefined && input === undefined && contexts.length === 0) return undefined
    return {
      ...(verdict ?? { kind: 'allow', by: 'hook', rule: ruleOf(place(hooks[0] as Hook)) }),
      ...(contexts.length > 0 && { context: contexts.join('\n\n') }),
      ...(input !== undefined && { input }),
    }
  }

  /** Runs one hook, with the arguments translated back to those of the tool. */
  async function askOne(
    hook: Hook,
    call: JudgedCall,
    session: SessionSpec,
    signal: AbortSignal,
  ): Promise<HookAnswer> {
    const said = toHostCalls(call, hook, session.workspace)
    let together: HookAnswer = {}
    for (const one of said) {
      const happening = { event: 'PreToolUse', call: call.call.id, said: one } as const
      const answer = await runner.run(hook, happening, session, signal)
      if (answer.decision === 'deny' || answer.stop !== undefined) return answer
      if (answer.input !== undefined && said.length > 1)
        return {
          decision: 'deny',
          reason:
            'the hook changes the arguments of a call that affects several files, which Cadre does not support. Make one call per file',
        }
      together = mergeAnswers(together, answer)
    }
    const [only] = said
    if (together.input === undefined || only === undefined) return together
    try {
      return { ...together, input: fromHostInput(call.tool, only.name, together.input) }
    } catch (error) {
      return { decision: 'deny', reason: `the hook returned invalid arguments: ${messageOf(error)}` }
    }
  }
}

function mergeAnswers(a: HookAnswer, b: HookAnswer): HookAnswer {
  const asks = a.decision === 'ask' ? a : b.decision === undefined ? a : b
  const context = [a.context, b.context].filter((text) => text !== undefined).join('\n\n')
  return {
    ...b,
    ...(asks.decision !== undefined && { decision: asks.decision }),
    ...(asks.reason !== undefined && { reason: asks.reason }),
    ...(context !== '' && { context }),
    notices: [...(a.notices ?? []), ...(b.notices ?? [])],
  }
}

function stricter(
  verdict: Verdict | undefined,
  { level }: Hook,
  at: string,
  { decision, reason }: HookAnswer,
): Verdict | undefined {
  if (decision === 'ask' && verdict?.kind !== 'ask') {
    const asked = { kind: 'ask', by: 'hook', rule: ruleOf(at), reason: hookReason(at, reason) } as const
    // If the administrator's hook asks for a person, no other hook can answer.
    return level === 'policy' ? { ...asked, firm: true } : asked
  }
  if (decision === 'ask' && verdict?.kind === 'ask' && level === 'policy') return { ...verdict, firm: true }
  if (decision === 'allow' && verdict === undefined)
    return { kind: 'allow', by: 'hook', rule: ruleOf(at), ...(reason !== undefined && { reason }) }
  return verdict
}

/** Short and stable, and names the place of the hook. */
export function ruleOf(place: string): RuleName {
  return `hook: ${place}`
}

export function hookReason(place: string, reason: string | undefined): string {
  return `${reason ?? 'a hook made this decision'} (hook ${place})`
}
