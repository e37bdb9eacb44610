import { CadreError, type ErrorCode, type Report, type RunResult } from '@cadre/core'
import type { Sessions } from '@cadre/runtime'
import { type ExitCode, exitCodeOfReport, exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { answerCommands } from '../output/answer-commands.ts'
import { cleanLine } from '../output/clean-text.ts'
import { handoffLines } from '../output/handoff-text.ts'
import { markdownColumns, reportText } from '../output/report-text.ts'
import type { Style } from '../output/style.ts'
import type { OpenQuestion } from '../output/surface.ts'
import { openQuestions } from './open-questions.ts'

export interface EndingOptions {
  readonly io: Io
  readonly style: Style
  readonly json: boolean
  /** Flags a person has to repeat in the next command. */
  readonly flags: string
  /** Those for the command that continues the run, where they are more. */
  readonly resumed?: string
  /** Of all agents there are, where that is known. */
  readonly names?: readonly string[]
}

/** The last output about a run, for a person or as the last JSON line, and the exit code. */
export async function showEnding(
  result: RunResult,
  sessions: Sessions,
  options: EndingOptions,
): Promise<ExitCode> {
  if (result.kind === 'report') return showReport(result.report, sessions, options)
  const { io, style, json, flags, resumed = flags } = options
  const questions = await openQuestions(sessions, result.session)
  if (json) io.stdout.write(`${JSON.stringify({ type: 'waiting', session: result.session, questions })}\n`)
  else io.stdout.write(`\n${waitingText(result.session, questions, { flags, resumed }, style)}\n`)
  return exitCodes.waiting
}

export function showReport(
  report: Report,
  sessions: Sessions,
  { io, style, json, flags, resumed = flags, names }: EndingOptions,
): ExitCode {
  refuseUnstarted(report)
  if (json) {
    io.stdout.write(`${JSON.stringify(report)}\n`)
    return exitCodeOfReport(report)
  }
  const lines = [reportText(report, style, markdownColumns(io)), style.dim(`session ${sessions.fileOf(report.session)}`)]
  if (report.status === 'cancelled' || report.status === 'error')
    lines.push(`Resume with: cadre resume ${report.session}${resumed}`)
  if (report.handoffs !== undefined)
    lines.push(
      '',
      'Available handoffs:',
      ...handoffLines(report.handoffs, style, names),
      `Accept one by its number in: cadre chat --resume ${report.session}${flags}`,
    )
  io.stdout.write(`\n${lines.join('\n')}\n`)
  return exitCodeOfReport(report)
}

/** A session that could not even be opened has nothing to report: the reason is the failure of the command. */
export function refuseUnstarted(report: Report): void {
  const notice = report.notices?.at(-1)
  if (report.status !== 'error' || report.sessions > 0 || notice === undefined) return
  // What the system says about the home's files comes with a code of its own, such as EACCES.
  const code = /^E[A-Z]+$/.test(notice.code) ? 'configuration' : (notice.code as ErrorCode)
  throw new CadreError(code, notice.message)
}

/** Questions that wait, and the commands that answer them, with the flags a person has to repeat, such as `--home`. */
function waitingText(
  root: string,
  questions: readonly OpenQuestion[],
  { flags, resumed }: { readonly flags: string; readonly resumed: string },
  style: Style,
): string {
  const blocks = questions.map((question) => {
    const commands = answerCommands(question.approval, question.choices.includes('again'), flags)
    return [
      `${style.yellow('?')} ${cleanLine(question.text)}`,
      ...commands.map((command) => `  ${command}`),
    ].join('\n')
  })
  return `${blocks.join('\n')}\nThen resume with: cadre resume ${root}${resumed}`
}
