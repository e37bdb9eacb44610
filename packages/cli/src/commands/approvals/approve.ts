import { CadreError } from '@cadre/core'
import { answerFor, isDoubt, planRule, requirePerson } from '@cadre/gate'
import { createTrust } from '@cadre/home'
import { userPaths } from '@cadre/runtime'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { readLine } from '../../run/ask-line.ts'
import { ruleText } from '../../run/ask-person.ts'
import { withDaemonHint } from '../engine/daemon-hint.ts'
import { type DecideFlags, decideByCommand } from './decide-by-command.ts'
import { findApproval, type OpenedApprovals, openApprovals } from './open-approvals.ts'

export interface ApproveFlags extends DecideFlags {
  readonly session?: boolean
  readonly rule?: boolean
  readonly done?: boolean
  readonly yes?: boolean
}

/** `cadre approve`. */
export async function approveCall(io: Io, flags: ApproveFlags, wanted: string): Promise<ExitCode> {
  if (flags.session && flags.rule)
    throw new CadreError(
      'usage',
      '--session and --rule cannot be combined. Use --session to allow it for the rest of this session, or --rule to allow it permanently.',
    )
  const opened = await openApprovals(io, flags)
  // Required before writing a rule, too.
  requirePerson(opened.home, io.env)
  const record = await withDaemonHint(io, opened.home, () => findApproval(opened, wanted))
  if ((flags.session || flags.rule) && record.need !== undefined)
    throw new CadreError(
      'usage',
      `${record.id} needs several people, so it can only be approved once. Approve it without --session and --rule.`,
    )
  if (flags.session && !record.choices.includes('approve-session'))
    throw new CadreError(
      'usage',
      `${record.id} cannot be approved for the session: Cadre cannot tell which later calls are similar. Approve it without --session.`,
    )
  if (flags.rule && record.status !== 'pending')
    throw new CadreError(
      'usage',
      `${record.id} is no longer pending, so no rule was added. You can add the rule to ${opened.home.at('storage', 'terminal-cmd-allowlist.yaml')} yourself.`,
    )
  if (flags.rule) await addRule(io, opened, record.grants, flags)
  if (flags.done && !isDoubt(record))
    throw new CadreError(
      'usage',
      `The call for ${record.id} has not started yet. Use --done only for interrupted calls.`,
    )
  const decision = flags.session ? 'approve-session' : answerFor(record, 'approve', flags.done)
  return decideByCommand(io, opened, record, { decision }, flags)
}

/** Shows what a rule allows before it is written. */
async function addRule(
  io: Io,
  { home }: OpenedApprovals,
  grants: readonly string[],
  { yes = false, json = false }: ApproveFlags,
): Promise<void> {
  const plan = planRule(home, grants, createTrust({ file: userPaths(io.env).trust }))
  if (plan.kind === 'refused') throw new CadreError('usage', plan.reason)
  // With --json the last line is the result, so text for people goes to standard error.
  const out = json ? io.stderr : io.stdout
  out.write(`${ruleText(plan)}\n`)
  if (plan.lines.length === 0) return
  if (!yes) {
    if (!io.stdin.isTTY || !io.stdout.isTTY)
      throw new CadreError(
        'usage',
        'cannot ask for confirmation without a terminal. Add --yes to write the rule.',
      )
    const said = await readLine(io, '  Add this rule? y/N: ', {
      signal: new AbortController().signal,
      interrupt: () => {},
    })
    if (!/^y(?:es)?$/i.test(said ?? ''))
      throw new CadreError('cancelled', 'no rule was added, and the approval is still pending.')
  }
  await plan.write()
}
