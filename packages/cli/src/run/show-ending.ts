import { cleanData, type Report, type RunResult } from '@cadre/core'
import { type Sessions, throwIfNotOpened } from '@cadre/runtime'
import { type ExitCode, exitCodeForReport, exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { answerCommands } from '../output/answer-commands.ts'
import { cleanLine, cleanText } from '../output/clean-text.ts'
import { handoffLines } from '../output/handoff-text.ts'
import { jsonText } from '../output/json-text.ts'
import { renderMarkdown } from '../output/markdown/render-markdown.ts'
import type { Output } from '../output/output.ts'
import { formatSummary, markdownColumns, noticeLines } from '../output/report-text.ts'
import type { Style } from '../output/style.ts'
import type { OpenQuestion } from '../output/surface.ts'
import { type DeniedCalls, deniedLines } from './denied-calls.ts'
import { openQuestions } from './open-questions.ts'

export interface EndingOptions {
  readonly io: Io
  readonly style: Style
  readonly json: boolean
  /** Only the answer, warnings and errors. */
  readonly quiet?: boolean | undefined
  /** Flags to repeat in the next command. */
  readonly flags: string
  /** The flags for the command that continues the run, if there are more. */
  readonly resumed?: string
  /** The names of all agents, if known. */
  readonly names?: readonly string[]
  /** The denied calls of the whole tree. */
  readonly denied?: Pick<DeniedCalls, 'count' | 'calls'>
  readonly failOnDeny?: boolean | undefined
  /** The answer must be JSON. */
  readonly hasSchema?: boolean
}

const noneDenied = { count: 0, calls: [] }

/** Prints the last output of a run, for a person or as the last JSON line, and returns the exit code. */
export async function showEnding(
  result: RunResult,
  sessions: Sessions,
  options: EndingOptions,
): Promise<ExitCode> {
  if (result.kind === 'report') return showReport(result.report, sessions, options)
  const { io, style, json, flags, resumed = flags, denied = noneDenied } = options
  const questions = await openQuestions(sessions, result.session)
  if (json)
    io.stdout.write(
      `${JSON.stringify({ type: 'waiting', session: result.session, questions, ...deniedJson(denied) })}\n`,
    )
  else {
    const text = waitingText(result.session, questions, { flags, resumed }, style)
    sideOutput(options).write(`\n${[...deniedText(denied, flags, style), text].join('\n')}\n`)
  }
  return exitCodes.waiting
}

export function showReport(report: Report, sessions: Sessions, options: EndingOptions): ExitCode {
  throwIfNotOpened(report)
  const { io, json, denied = noneDenied, failOnDeny = false } = options
  const code = exitCodeForReport(report)
  if (json) io.stdout.write(`${JSON.stringify({ ...report, ...deniedJson(denied) })}\n`)
  else showText(report, sessions, { ...options, denied })
  const isDecided = code !== exitCodes.done && code !== exitCodes.failed
  return failOnDeny && denied.count > 0 && !isDecided ? exitCodes.refused : code
}

/** In a terminal, everything goes to standard output. Otherwise, only the answer does. */
function showText(
  report: Report,
  sessions: Sessions,
  options: EndingOptions & Required<Pick<EndingOptions, 'denied'>>,
): void {
  const { io, style, quiet = false, flags, resumed = flags, names, denied, hasSchema = false } = options
  const beside = sideOutput(options)
  const isApart = beside !== io.stdout
  const json = report.output === undefined ? undefined : jsonText(report.output)
  const answer = json ?? (isApart && hasSchema ? '' : cleanData(report.text).trim())
  const lines = noticeLines(report, style, isApart ? undefined : markdownColumns(io))
  lines.push(...deniedText(denied, flags, style))
  if (!quiet || report.status !== 'completed') lines.push(formatSummary(report, style))
  if (!quiet) lines.push(style.dim(`session ${sessions.fileOf(report.session)}`))
  if (report.status === 'cancelled' || report.status === 'error')
    lines.push(`Resume with: cadre resume ${report.session}${resumed}`)
  if (report.handoffs !== undefined && !quiet)
    lines.push(
      '',
      'Available handoffs:',
      ...handoffLines(report.handoffs, style, names),
      `Accept one by its number in: cadre chat --resume ${report.session}${flags}`,
    )
  if (!isApart) {
    const columns = json === undefined ? markdownColumns(io) : undefined
    const text =
      columns === undefined ? cleanText(answer) : renderMarkdown(answer, { columns, style }).join('\n')
    const shown = answer === '' ? [] : [text, '']
    io.stdout.write(`\n${[...shown, ...lines].join('\n')}\n`)
    return
  }
  if (answer !== '') io.stdout.write(`${answer}\n`)
  if (lines.length > 0) beside.write(`${lines.join('\n')}\n`)
}

/** The stream for everything but the answer. */
function sideOutput({ io, quiet = false }: EndingOptions): Output {
  return io.stdout.isTTY && !quiet ? io.stdout : io.stderr
}

function deniedJson(denied: Pick<DeniedCalls, 'count' | 'calls'>): object {
  return denied.count === 0 ? {} : { denied: { count: denied.count, calls: denied.calls } }
}

function deniedText(denied: Pick<DeniedCalls, 'count' | 'calls'>, flags: string, style: Style): string[] {
  const [first, ...rest] = deniedLines(denied, flags)
  return first === undefined ? [] : [`${style.yellow('note:')} ${first}`, ...rest]
}

/** The pending questions, and the commands that answer them, with the flags to repeat, such as `--home`. */
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
