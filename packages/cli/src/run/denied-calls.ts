import { type CadreEvent, eventsOf } from '@cadre/core'
import type { Sessions } from '@cadre/runtime'
import { callText } from '../output/call-text.ts'
import { cleanLine } from '../output/clean-text.ts'
import { formatCount } from '../output/numbers.ts'
import { truncateText } from '../output/text-width.ts'

/** A call that a rule or a person denied. */
export interface DeniedCall {
  readonly session: string
  readonly agent: string
  readonly tool: string
  /** As the model wrote it. */
  readonly input: string
  /** What denied it: `policy`, `hook`, `role`, `agent`, `approval`, … */
  readonly by: string
  readonly rule?: string
  readonly reason: string
}

/** The maximum number in JSON. `count` is always complete. */
const maxListed = 100
const maxShown = 10
const maxSessions = 3

export interface DeniedCalls {
  watch(event: CadreEvent): void
  /** Adds the denied calls from the records of a tree. */
  recall(sessions: Pick<Sessions, 'tree'>, root: string): Promise<void>
  readonly count: number
  readonly calls: readonly DeniedCall[]
}

/** Not a denial, but a mistake of the model or the end of a budget, which is reported elsewhere. */
const otherCodes = ['tool', 'budget', 'delegation']

/** Collects the denied calls of a whole tree, because agents may not mention them in their report. */
export function createDeniedCalls(): DeniedCalls {
  const judged = new Map<string, Omit<DeniedCall, 'session' | 'reason'>>()
  const calls: DeniedCall[] = []
  let count = 0
  const watch = (event: CadreEvent) => {
    if (event.type === 'call.judged') {
      const { agent, tool, input, by, rule } = event
      judged.set(`${event.session} ${event.call}`, { agent, tool, input, by, ...(rule && { rule }) })
    }
    if (event.type !== 'call.settled') return
    const key = `${event.session} ${event.call}`
    const known = judged.get(key)
    judged.delete(key)
    const { outcome, code, content, session } = event
    if (outcome !== 'refused' || otherCodes.includes(code ?? '')) return
    count += 1
    if (calls.length >= maxListed) return
    const call = known ?? { agent: '', tool: 'a call', input: '', by: code ?? 'gate' }
    const { rule, ...rest } = call
    // Rejected by a person: the rule only asked for the decision.
    const by = code === 'approval_rejected' ? { by: 'approval' } : { by: call.by, ...(rule && { rule }) }
    calls.push({ session, ...rest, ...by, reason: content })
  }
  return {
    watch,
    async recall(sessions, root) {
      for await (const stored of sessions.tree(root)) for (const event of eventsOf(stored)) watch(event)
    },
    get count() {
      return count
    },
    calls,
  }
}

/**
 * The number of denied calls, one line for each, and the commands that show the reasons, with the flags to repeat, such as `--home`. Empty if
 * no call was denied.
 */
export function deniedLines({ count, calls }: Pick<DeniedCalls, 'count' | 'calls'>, flags: string): string[] {
  if (count === 0) return []
  const same = new Map<string, number>()
  for (const call of calls) same.set(lineOf(call), (same.get(lineOf(call)) ?? 0) + 1)
  const shown = [...same].slice(0, maxShown)
  const left = count - shown.reduce((sum, [, times]) => sum + times, 0)
  return [
    `${formatCount(count, 'call')} ${count === 1 ? 'was' : 'were'} denied:`,
    ...shown.map(([line, times]) => `  ${line}${times === 1 ? '' : ` ×${times}`}`),
    ...(left === 0 ? [] : [`  and ${left} more`]),
    ...[...new Set(calls.map(({ session }) => session))]
      .slice(0, maxSessions)
      .map((session) => `See why with: cadre sessions show ${session}${flags}`),
  ]
}

function lineOf({ tool, input, by, rule }: DeniedCall): string {
  const why = rule === undefined || rule === by ? by : `${by}: ${rule}`
  return `${truncateText(callText(tool, input), 100)} (${cleanLine(why)})`
}
