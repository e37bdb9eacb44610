import type { WireCall } from '../ports/entry.ts'
import type {
  Answerer,
  DecidedBy,
  Gate,
  JudgedCall,
  RequireApprovals,
  Review,
  Reviewer,
  Risk,
  Rule,
  Verdict,
} from '../ports/gate.ts'
import { parseJson } from '../ports/json.ts'
import type { RuleName } from '../ports/rule-names.ts'
import { explainIssues, type StandardResult } from '../ports/schema.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { Tool } from '../ports/tool.ts'
import { readDelegation, refuseCircularDelegation } from '../tree/delegation.ts'
import { type DelegationInCommand, delegationInCommand } from '../vocabulary/delegation-in-command.ts'
import { didYouMean } from '../vocabulary/nearest.ts'
import { type FoundTool, normaliseInput, type Toolset } from '../vocabulary/toolset.ts'

/** A call after the first checks: either ready for the gate's rules, or settled already. */
export type ParsedCall =
  | { readonly kind: 'ready'; readonly judged: JudgedCall }
  | {
      readonly kind: 'refused'
      readonly by: 'tool' | 'agent'
      readonly rule?: never
      readonly reason: string
    }
  | { readonly kind: 'refused'; readonly by: 'role'; readonly rule: RuleName; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * The checks before any rule: the tool exists, the agent may use it, and the input matches its schema. Synchronous if the schema of an
 * allowed tool is.
 */
export function readCall(
  call: WireCall,
  session: SessionSpec,
  toolset: Toolset,
): ParsedCall | Promise<ParsedCall> {
  const { name } = call.function
  const parsed = parseJson(call.function.arguments.trim() === '' ? '{}' : call.function.arguments)
  const carried = parsed.ok ? delegationInCommand(name, parsed.value) : undefined
  const found = carried === undefined ? toolset.find(name) : delegationTool(toolset)
  if (found === undefined) {
    return {
      kind: 'refused',
      by: 'tool',
      reason: `there is no tool named ${JSON.stringify(name)}${didYouMean(name, toolset.names()) || '.'} Available: ${toolset.names().join(', ') || 'none'}.`,
    }
  }
  const read = () =>
    parsed.ok
      ? readArguments(call, found, carried === undefined ? parsed.value : carriedInput(found.tool, carried))
      : { kind: 'failed' as const, reason: `the arguments of ${name} are not valid JSON: ${parsed.reason}` }
  if (found.allowed) return read()
  const what = carried === undefined ? '' : 'this line is a delegation, not a command, and '
  const refused: ParsedCall = {
    kind: 'refused',
    by: 'agent',
    reason: `${what}${whyNot(found.tool, session)}. Available: ${toolset.names().join(', ') || 'none'}.`,
  }
  return circularReason(found.tool, session, read).then((circle) => circle ?? refused)
}

/** Returns the agent's delegation tool, if it has one. */
function delegationTool(toolset: Toolset): FoundTool | undefined {
  const known = ['delegate_task', 'delegateWork'].flatMap((name) => toolset.find(name) ?? [])
  return known.find(({ allowed }) => allowed) ?? known[0]
}

function carriedInput(tool: Tool, carried: DelegationInCommand): unknown {
  return tool.name === 'delegateWork'
    ? { ...carried, reportExpectations: 'What was done and what was found' }
    : carried
}

function readArguments(
  call: WireCall,
  { tool, spelling, teamOnly }: FoundTool,
  written: unknown,
): ParsedCall | Promise<ParsedCall> {
  let input: unknown
  try {
    input = normaliseInput(tool, spelling, written)
  } catch (error) {
    return {
      kind: 'failed',
      reason: `the arguments of ${call.function.name} are invalid: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
  return readInput({ call, tool, ...(teamOnly && { teamOnly }) }, input)
}

/** An agent whose only targets are above it in the chain has no delegation tool. The error must name the cycle. */
async function circularReason(
  tool: Tool,
  session: SessionSpec,
  read: () => ParsedCall | Promise<ParsedCall>,
): Promise<ParsedCall | undefined> {
  if (tool.kind !== 'delegate' || !session.delegation) return undefined
  const call = await read()
  if (call.kind !== 'ready') return undefined
  const circle = refuseCircularDelegation(session, readDelegation(tool, call.judged.input).target)
  return circle && { kind: 'refused', by: 'role', rule: circle.code, reason: circle.reason }
}

/** Validates a call's arguments against the schema of its tool. Synchronous if the schema is. */
export function readInput(
  { call, tool, teamOnly }: Omit<JudgedCall, 'input'>,
  input: unknown,
): ParsedCall | Promise<ParsedCall> {
  const read = (result: StandardResult<unknown>): ParsedCall =>
    result.issues === undefined
      ? { kind: 'ready', judged: { call, tool, input: result.value, ...(teamOnly && { teamOnly }) } }
      : {
          kind: 'failed',
          reason: `the arguments of ${call.function.name} are invalid: ${explainIssues(result.issues)}`,
        }
  const checked = tool.input['~standard'].validate(input)
  return checked instanceof Promise ? checked.then(read) : read(checked)
}

/** If delegation is disabled for the whole run, the agent's tool list is not the reason. */
function whyNot(tool: Tool, { agent, delegation }: SessionSpec): string {
  if ((tool.kind === 'delegate' || tool.kind === 'team') && !delegation)
    return `${tool.name} is not available: delegation is disabled for this run. Do the work yourself`
  return `${agent.name} may not use ${tool.name}`
}

const order: readonly DecidedBy[] = ['tool', 'agent', 'role', 'hook', 'policy', 'budget', 'approval']
const allowed: Verdict = { kind: 'allow', by: 'policy', rule: 'default' }

export interface GateParts {
  readonly rules: readonly Rule<string>[]
  readonly reviewers: readonly Reviewer[]
  readonly answerers?: readonly Answerer<string>[] | undefined
  readonly requireApprovals?: RequireApprovals | undefined
}

/**
 * Judges every call of every session. Evaluates the rules in the order of `DecidedBy`. The strictest verdict wins, and a denial ends the
 * evaluation. A rule that throws denies the call. If a rule changes the arguments, they are validated against the tool's schema and all
 * rules judge them again, except hooks if a hook made the change. The rule that made the change must then accept the arguments unchanged.
 */
export function createGate({ rules, reviewers, answerers = [], requireApprovals }: GateParts): Gate {
  // Rules of other programs can have any name. The names of our own are checked where they are written.
  const sorted = ([...rules] as Rule[]).sort((a, b) => order.indexOf(a.by) - order.indexOf(b.by))
  const withoutHooks = sorted.filter((rule) => rule.by !== 'hook')
  const counting = sorted.filter((rule) => rule.counts === true)
  const judge = (asked: readonly Rule[], call: JudgedCall, session: SessionSpec, signal: AbortSignal) => {
    const verdict = from({ rules: asked, start: 0, verdict: allowed, call, session, signal })
    return verdict instanceof Promise
      ? verdict.then((said) => answered(demanded(said, call, session), call, session, signal))
      : answered(demanded(verdict, call, session), call, session, signal)
  }

  function demanded(verdict: Verdict, call: JudgedCall, session: SessionSpec): Verdict {
    if (verdict.kind !== 'ask' || requireApprovals === undefined) return verdict
    try {
      return requireApprovals({ call: withInput(call, verdict), verdict }, session)
    } catch (error) {
      return { ...verdict, ...brokenRuleVerdict({ by: 'policy', name: 'approvals' }, error) } as Verdict
    }
  }

  function from(at: RemainingRules): Verdict | Promise<Verdict> {
    const { rules: asked, call, session, signal } = at
    let { verdict } = at
    for (let i = at.start; i < asked.length; i++) {
      const rule = asked[i] as Rule
      // Hooks cannot intercept a report: without it, a session could not return its findings.
      if (rule.by === 'hook' && call.tool.kind === 'report') continue
      const said = judgeSafely(rule, call, session, signal)
      // Most rules answer synchronously. Awaiting each of them would delay every call by turns of the event loop.
      if (said instanceof Promise) {
        return said
          .catch((error) => brokenRuleVerdict(rule, error))
          .then((later) => after(later, { ...at, start: i + 1, verdict }))
      }
      if (said?.input !== undefined) return after(said, { ...at, start: i + 1, verdict })
      verdict = stricter(verdict, said)
      if (verdict.kind === 'deny') return verdict
    }
    return verdict
  }

  async function after(said: Verdict | undefined, at: RemainingRules): Promise<Verdict> {
    const verdict = stricter(at.verdict, said)
    if (verdict.kind === 'deny') return verdict
    if (said?.input === undefined) return from({ ...at, verdict })
    const { tool } = at.call
    const checked = await tool.input['~standard'].validate(said.input)
    if (checked.issues !== undefined) {
      const reason = `${said.rule} replaced the arguments with invalid ones: ${explainIssues(checked.issues)}`
      return { ...verdict, kind: 'deny', by: said.by, rule: said.rule, reason }
    }
    return from({
      ...at,
      // Hooks judge the changes of other rules, but not those of hooks.
      rules: said.by === 'hook' ? withoutHooks : at.rules,
      start: 0,
      verdict,
      call: { ...at.call, input: checked.value },
    })
  }

  function answered(verdict: Verdict, call: JudgedCall, session: SessionSpec, signal: AbortSignal) {
    if (verdict.kind !== 'ask' || answerers.length === 0) return verdict
    return askOthers(verdict, withInput(call, verdict), session, signal)
  }

  async function askOthers(
    verdict: Extract<Verdict, { kind: 'ask' }>,
    call: JudgedCall,
    session: SessionSpec,
    signal: AbortSignal,
  ): Promise<Verdict> {
    for (const answerer of answerers) {
      let answer: Verdict | undefined
      try {
        answer = (await answerer({ call, verdict }, session, signal)) as Verdict | undefined
      } catch (error) {
        answer = brokenRuleVerdict({ by: 'approval', name: 'answer' }, error)
      }
      // Only a person may allow a firm question. An answerer may still deny it, for example because no person is available.
      if (answer === undefined || (verdict.firm === true && answer.kind === 'allow')) continue
      return { ...verdict, ...answer, ...(answer.kind === 'allow' && { answered: true }) } as Verdict
    }
    return verdict
  }

  return {
    immediate: answerers.length === 0 && sorted.every((rule) => rule.immediate === true),
    judge: (call, session, signal) => judge(sorted, call, session, signal),
    judgeAgain(call, session, signal) {
      const verdict = from({ rules: withoutHooks, start: 0, verdict: allowed, call, session, signal })
      return verdict instanceof Promise
        ? verdict.then((said) => demanded(said, call, session))
        : demanded(verdict, call, session)
    },
    judgeCounts(call, session, signal) {
      for (const rule of counting) {
        const said = judgeSafely(rule, call, session, signal)
        if (said !== undefined && !(said instanceof Promise) && said.kind === 'deny') return said
      }
      return undefined
    },
    async review(request, session, signal): Promise<Review> {
      let accepted: Extract<Review, { kind: 'accept' }> = { kind: 'accept' }
      for (const reviewer of reviewers) {
        const review = await reviewer(request, session, signal)
        if (review.kind === 'return') return review
        accepted = { ...accepted, ...review }
      }
      return accepted
    },
  }
}

/** The call with the arguments that a rule gave it. */
function withInput(call: JudgedCall, { input }: Verdict): JudgedCall {
  return input === undefined ? call : { ...call, input }
}

interface RemainingRules {
  readonly rules: readonly Rule[]
  readonly start: number
  readonly verdict: Verdict
  readonly call: JudgedCall
  readonly session: SessionSpec
  readonly signal: AbortSignal
}

const strictness = { allow: 0, ask: 1, deny: 2 } as const
const risks = ['LOW', 'MEDIUM', 'HIGH'] as const

/** Returns the stricter verdict, with the findings of both. If both are equally strict, the first is kept, unless it made no decision. */
function stricter(a: Verdict, b: Verdict | undefined): Verdict {
  if (b === undefined) return a
  const isFirmer = a.kind === 'ask' && b.kind === 'ask' && b.firm === true && a.firm !== true
  const isFirst = a !== allowed && !isFirmer && strictness[a.kind] >= strictness[b.kind]
  const [winner, other] = isFirst ? [a, b] : [b, a]
  if (other === allowed) return winner
  const context = [a.context, b.context].filter((text) => text !== undefined).join('\n\n')
  const joined = {
    ...winner,
    ...joinLists('reasons', a.reasons, b.reasons),
    ...joinLists('commands', a.commands, b.commands),
    ...joinLists('paths', a.paths, b.paths),
    ...((a.risk ?? b.risk) && { risk: higher(a.risk, b.risk) }),
    ...(context !== '' && { context }),
    ...((b.input ?? a.input) && { input: b.input ?? a.input }),
    ...((a.stop ?? b.stop) && { stop: a.stop ?? b.stop }),
    ...((a.readsOnly ?? b.readsOnly) && { readsOnly: true }),
    ...joinLists('boundTo', a.boundTo, b.boundTo),
  } as Verdict
  if (joined.kind !== 'ask' || a.kind !== 'ask' || b.kind !== 'ask') return joined
  const { grants: _, ...rest } = joined
  // A grant must cover both verdicts, so both must offer one.
  const grants = a.grants && b.grants && [...new Set([...a.grants, ...b.grants])]
  return { ...rest, ...((a.firm || b.firm) && { firm: true }), ...(grants && { grants }) }
}

function joinLists<Key extends string, Item>(
  key: Key,
  a: readonly Item[] | undefined,
  b: readonly Item[] | undefined,
) {
  if (a === undefined && b === undefined) return {}
  return { [key]: a === undefined || b === undefined ? (a ?? b) : [...a, ...b] }
}

function higher(a: Risk | undefined, b: Risk | undefined): Risk {
  return risks[Math.max(risks.indexOf(a ?? 'LOW'), risks.indexOf(b ?? 'LOW'))] as Risk
}

function judgeSafely(rule: Rule, call: JudgedCall, session: SessionSpec, signal: AbortSignal) {
  try {
    return rule.judge(call, session, signal)
  } catch (error) {
    return brokenRuleVerdict(rule, error)
  }
}

function brokenRuleVerdict(rule: Pick<Rule, 'by' | 'name'>, error: unknown): Verdict {
  return {
    kind: 'deny',
    by: rule.by,
    rule: rule.name,
    reason: `the rule ${rule.name} failed: ${error instanceof Error ? error.message : String(error)}`,
  }
}
