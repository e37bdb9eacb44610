import { type ApprovalRecord, actionLines, approvalJson, countText, isDoubt } from '@cadre/gate'
import { describeRequirement } from '@cadre/home'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { answerCommands } from '../../output/answer-commands.ts'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import { localTime } from '../../output/local-time.ts'
import type { Output } from '../../output/output.ts'
import { createStyle, type Style, shouldUseColour } from '../../output/style.ts'
import { wrapForTerminal } from '../../output/wrap-for-terminal.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { daemonHint } from '../engine/daemon-hint.ts'
import { openApprovals } from './open-approvals.ts'

/** `cadre approvals`. */
export async function listApprovals(
  io: Io,
  flags: {
    readonly home?: string
    readonly all?: boolean
    readonly trust?: boolean
    readonly json?: boolean
  },
): Promise<ExitCode> {
  const { engine, home } = await openApprovals(io, flags)
  const records = await engine.approvals.list({ all: flags.all === true })
  await engine.close()
  if (flags.json) {
    io.stdout.write(`${JSON.stringify(records.map(approvalJson))}\n`)
    return exitCodes.done
  }
  const style = createStyle(shouldUseColour(io.stdout, io.env))
  const waiting = records.filter(({ status }) => status === 'pending')
  const lines = records.flatMap((record) => [...recordLines(record, style, io.stdout), ''])
  if (records.length === 0) lines.push(`No pending approvals in ${home.path}.${await daemonHint(io, home)}`)
  else if (waiting.length > 0) lines.push(...howTo(waiting, repeatedFlags(flags)))
  io.stdout.write(`${lines.join('\n').trimEnd()}\n`)
  return exitCodes.done
}

/** The action is shown unchanged: an added line break could change its meaning. */
function recordLines(record: ApprovalRecord, style: Style, stdout: Output): string[] {
  const { id, agent, type, risk, reasons, created, session, status, decision } = record
  const sign = {
    pending: style.yellow('?'),
    approved: style.green('✓'),
    rejected: style.red('✗'),
    withdrawn: '■',
  }
  const when = localTime(created)
  const facts = [type, risk, agent, `session ${session}`, when].filter((fact) => fact !== undefined)
  const decided =
    decision === undefined
      ? []
      : [
          `  ${status} by ${decision.by ?? 'an unknown user'} at ${localTime(decision.at)}${decision.reason ? `: ${decision.reason}` : ''}`,
        ]
  return [
    wrapForTerminal(stdout, `${sign[status]} ${id}  ${style.dim(cleanLine(facts.join(' · ')))}`),
    ...actionLines(record).map((line) => `  ${cleanText(line)}`),
    ...reasons.map((reason) => wrapForTerminal(stdout, `  - ${cleanLine(reason)}`)),
    ...voteLines(record).map((line) => `  ${cleanLine(line)}`),
    ...decided.map((line) => `  ${cleanLine(line)}`),
  ]
}

/** `approvals 1 of 2: ann`, and who may still vote. */
function voteLines(record: ApprovalRecord): string[] {
  const { need, status } = record
  const count = countText(record)
  if (need === undefined || count === undefined) return []
  return [`approvals ${count}`, ...(status === 'pending' ? [`needs ${describeRequirement(need)}`] : [])]
}

function howTo(waiting: readonly ApprovalRecord[], flags: string): string[] {
  const asked = waiting.find((record) => !isDoubt(record))
  const doubt = waiting.find(isDoubt)
  return [
    ...(asked ? answerCommands(asked.id, false, flags) : []),
    ...(doubt ? answerCommands(doubt.id, true, flags) : []),
  ].map(cleanText)
}
