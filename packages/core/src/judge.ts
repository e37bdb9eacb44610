import type { WireCall } from './entry.ts'
import type { DecidedBy, Gate, JudgedCall, Review, Reviewer, Rule, Verdict } from './gate.ts'
import { parseJson } from './json.ts'
import { didYouMean } from './nearest.ts'
import { explainIssues } from './schema.ts'
import type { SessionSpec } from './session-spec.ts'
import type { Tool } from './tool.ts'
import { normaliseInput, type Toolset } from './toolset.ts'

/** A call after the first checks: either ready for the gate's rules, or settled already. */
export type ReadCall =
  | { readonly kind: 'ready'; readonly judged: JudgedCall }
  | { readonly kind: 'refused'; readonly by: DecidedBy; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Known tool, then the agent's tools, then the shape of the input: what can be said without any rule. */
export async function readCall(call: WireCall, session: SessionSpec, toolset: Toolset): Promise<ReadCall> {
  const { name } = call.function
  const found = toolset.find(name)
  if (found === undefined) {
    return {
      kind: 'refused',
      by: 'tool',
      reason: `there is no tool named ${JSON.stringify(name)}${didYouMean(name, toolset.names()) || '.'} Available: ${toolset.names().join(', ') || 'none'}`,
    }
  }
  if (!found.allowed) {
    return {
      kind: 'refused',
      by: 'agent',
      reason: `${whyNot(found.tool, session)}. Available: ${toolset.names().join(', ') || 'none'}`,
    }
  }
  const { tool } = found
  const parsed = parseJson(call.function.arguments.trim() === '' ? '{}' : call.function.arguments)
  if (!parsed.ok)
    return { kind: 'failed', reason: `the arguments of ${name} are not valid JSON: ${parsed.reason}` }
  let input: unknown
  try {
    input = normaliseInput(tool, found.spelling, parsed.value)
  } catch (error) {
    return {
      kind: 'failed',
      reason: `the arguments of ${name} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
  const checked = tool.input['~standard'].validate(input)
  const result = checked instanceof Promise ? await checked : checked
  if (result.issues !== undefined)
    return { kind: 'failed', reason: `the arguments of ${name} are wrong: ${explainIssues(result.issues)}` }
  return { kind: 'ready', judged: { call, tool, input: result.value } }
}

/** Nothing is wrong with the agent's list where the run keeps everybody from delegating. */
function whyNot(tool: Tool, { agent, delegation }: SessionSpec): string {
  if (tool.kind === 'delegate' && !delegation)
    return `${tool.name} cannot be used: delegation is switched off for this run; do the work yourself`
  return `${agent.name} may not use ${tool.name}`
}

const order: readonly DecidedBy[] = ['tool', 'agent', 'role', 'hook', 'policy', 'budget', 'approval']
const allowed: Verdict = { kind: 'allow', by: 'policy', rule: 'default' }

/**
 * One path for every call of every session. Rules are asked in the order of `DecidedBy`; the most restrictive answer wins;
 * a denial ends the asking. A rule that throws denies.
 */
export function createGate(rules: readonly Rule[], reviewers: readonly Reviewer[]): Gate {
  const sorted = [...rules].sort((a, b) => order.indexOf(a.by) - order.indexOf(b.by))
  const from = (
    start: number,
    so: Verdict,
    call: JudgedCall,
    session: SessionSpec,
    signal: AbortSignal,
  ): Verdict | Promise<Verdict> => {
    let verdict = so
    for (let i = start; i < sorted.length; i++) {
      const rule = sorted[i] as Rule
      const said = safely(rule, call, session, signal)
      // Most rules answer at once; waiting for each would cost every call of every session a turn of the event loop.
      if (said instanceof Promise) {
        return said.then(
          (later) =>
            later?.kind === 'deny' ? later : from(i + 1, stricter(verdict, later), call, session, signal),
          (error) => broken(rule, error),
        )
      }
      if (said?.kind === 'deny') return said
      verdict = stricter(verdict, said)
    }
    return verdict
  }
  return {
    immediate: sorted.every((rule) => rule.immediate === true),
    judge: (call, session, signal) => from(0, allowed, call, session, signal),
    async review(report, session, signal): Promise<Review> {
      let sections: Review = { kind: 'accept' }
      for (const reviewer of reviewers) {
        const review = await reviewer(report, session, signal)
        if (review.kind === 'return') return review
        if (review.sections !== undefined) sections = review
      }
      return sections
    },
  }
}

function stricter(a: Verdict, b: Verdict | undefined): Verdict {
  if (b === undefined) return a
  return a.kind === 'ask' && b.kind === 'allow' ? a : b
}

function safely(rule: Rule, call: JudgedCall, session: SessionSpec, signal: AbortSignal) {
  try {
    return rule.judge(call, session, signal)
  } catch (error) {
    return broken(rule, error)
  }
}

function broken(rule: Rule, error: unknown): Verdict {
  return {
    kind: 'deny',
    by: rule.by,
    rule: rule.name,
    reason: `the rule ${rule.name} failed: ${error instanceof Error ? error.message : String(error)}`,
  }
}
