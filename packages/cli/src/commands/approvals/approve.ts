import { CadreError } from '@cadre/core'
import { answerFor, isDoubt, planRule, requirePerson } from '@cadre/gate'
import { createTrust } from '@cadre/home'
import { userPlaces } from '@cadre/runtime'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { readLine } from '../../run/ask-line.ts'
import { ruleText } from '../../run/ask-person.ts'
import { type DecideFlags, decideApproval } from './decide-approval.ts'
import { findApproval, type OpenedApprovals, openApprovals } from './open-approvals.ts'

export interface ApproveFlags extends DecideFlags {
  readonly session?: boolean
  readonly rule?: boolean
  readonly done?: boolean
  readonly yes?: boolean
}

/** `cadre approve`. */
export async function approve(io: Io, flags: ApproveFlags, wanted: string): Promise<ExitCode> {
  if (flags.session && flags.rule)
    throw new CadreError('usage', 'choose one: --session for the rest of the session, --rule from now on')
  const opened = await openApprovals(io, flags)
  // Before a rule is written as well.
  requirePerson(opened.home, io.env)
  const record = await findApproval(opened, wanted)
  if (flags.session && !record.choices.includes('approve-session'))
    throw new CadreError(
      'usage',
      `${record.id} can only be approved once: nothing like it can be told apart for the rest of the session`,
    )
  if (flags.rule && record.status !== 'pending')
    throw new CadreError(
      'usage',
      `${record.id} needs no decision any more, so no rule was added; write it into ${opened.home.at('storage', 'terminal-cmd-allowlist.yaml')} yourself`,
    )
  if (flags.rule) await addRule(io, opened, record.grants, flags)
  if (flags.done && !isDoubt(record))
    throw new CadreError(
      'usage',
      `${record.id} was not started yet; --done is for calls that were interrupted`,
    )
  const decision = flags.session ? 'approve-session' : answerFor(record, 'approve', flags.done)
  return decideApproval(io, opened, record, { decision }, flags)
}

/** What a rule lets through is seen before it is written. */
async function addRule(
  io: Io,
  { home }: OpenedApprovals,
  grants: readonly string[],
  { yes = false, json = false }: ApproveFlags,
): Promise<void> {
  const plan = planRule(home, grants, createTrust({ file: userPlaces(io.env).trust }))
  if (plan.kind === 'refused') throw new CadreError('usage', plan.reason)
  // For a machine the last line is the result: what is shown to people goes beside it.
  const out = json ? io.stderr : io.stdout
  out.write(`${ruleText(plan)}\n`)
  if (plan.lines.length === 0) return
  if (!yes) {
    if (!io.stdin.isTTY || !io.stdout.isTTY)
      throw new CadreError('usage', 'nobody can be asked here whether to write this; add --yes')
    const said = await readLine(io, '  Write it? y/N: ', {
      signal: new AbortController().signal,
      interrupt: () => {},
    })
    if (!/^y(?:es)?$/i.test(said ?? ''))
      throw new CadreError('cancelled', 'nothing was written, and nothing decided')
  }
  await plan.write()
}
