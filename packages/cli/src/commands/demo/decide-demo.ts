import { CadreError } from '@cadre/core'
import { actionLines } from '@cadre/gate'
import { personName } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import type { Style } from '../../output/style.ts'
import { readLine } from '../../run/ask-line.ts'
import { findApproval, openApprovals } from '../approvals/open-approvals.ts'
import type { DemoFolder } from './prepare-demo.ts'

export interface DemoQuestion {
  readonly place: DemoFolder
  /** The id of the approval. */
  readonly id: string
  /** A user is present. */
  readonly isAsked: boolean
  readonly style: Style
}

export interface DemoDecision {
  readonly action: string
  readonly kind: 'approved' | 'rejected'
  readonly by: string
}

/** Shows the pending approval and asks the user; without a user, the demo approves. */
export async function decideDemo(
  io: Io,
  { place, id, isAsked, style }: DemoQuestion,
  stop: AbortController,
): Promise<DemoDecision> {
  const opened = await openApprovals(io, { home: place.home.path, trust: true })
  try {
    const record = await findApproval(opened, id)
    const action = actionLines(record).join('\n')
    const by = isAsked ? (personName(io.env) ?? 'you') : 'demo'
    const decision = isAsked ? await ask(io, action, style, stop) : 'approve'
    const reason = isAsked ? undefined : 'no terminal to prompt in'
    const { approvals } = opened.engine
    const answer = { decision, by, ...(reason && { reason }) }
    await approvals.decide(record, answer, approvals.voters.here('terminal'))
    return { action, kind: decision === 'approve' ? 'approved' : 'rejected', by }
  } finally {
    await opened.engine.close()
  }
}

async function ask(io: Io, action: string, style: Style, stop: AbortController): Promise<string> {
  io.stdout.write(`${cleanText(action).replace(/^/gm, '    ')}\n`)
  for (;;) {
    const said = await readLine(io, `  ${style.yellow('?')} 1 approve · 2 reject: `, {
      signal: stop.signal,
      interrupt: () => stop.abort(new CadreError('cancelled', 'the demo was stopped.')),
    })
    stop.signal.throwIfAborted()
    if (said === undefined) throw new CadreError('cancelled', 'the demo was stopped.')
    if (/^(?:1|a|approve|y|yes)$/i.test(said)) return 'approve'
    if (/^(?:2|r|reject|n|no)$/i.test(said)) return 'reject'
  }
}
