import type { CadreError, Handoff, Notice, Report, RunResult } from '@cadre/core'
import type { Runtime } from '@cadre/runtime'
import { namesOf } from '@cadre/runtime'
import { type ExitCode, exitCodeForReport, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { handoffLines } from '../../output/handoff-text.ts'
import { markdownColumns, reportText } from '../../output/report-text.ts'
import type { Style } from '../../output/style.ts'
import { wrapForTerminal } from '../../output/wrap-for-terminal.ts'
import { reportFailure } from '../../report-failure.ts'
import { openQuestions } from '../../run/open-questions.ts'
import { showEnding } from '../../run/show-ending.ts'

/** What a chat prints besides the work itself. */
export interface ChatOutput {
  /** Prints text for a person, or one JSON object. */
  note(text: string, data?: object): void
  /** Reports that a line failed; the chat continues. */
  failure(error: CadreError): ExitCode
  /** Prints the result of a turn; `said` is the text that the person has already read. */
  ending(result: RunResult, said: string): Promise<ExitCode>
}

export interface ChatOutputOptions {
  readonly io: Io
  readonly style: Style
  readonly json: boolean
  /** True if there is a prompt, so that the person can continue. */
  readonly hasPrompt: boolean
  /** Flags that must be repeated in the next command. */
  readonly flags: string
  readonly runtime: Runtime
}

export function createChatOutput(options: ChatOutputOptions): ChatOutput {
  const { io, style, json, hasPrompt, flags, runtime } = options
  const told = new Set<string>()
  const write = (text: string) => void io.stdout.write(`${json ? text : wrapForTerminal(io.stdout, text)}\n`)

  function report(ended: Report, said: string): ExitCode {
    const isRead = hasPrompt && ended.text.trim() === said.trim()
    const rest = { ...ended, text: isRead ? '' : ended.text, notices: newNotices(ended) }
    write(`\n${[reportText(rest, style, markdownColumns(io)), ...whatNext(ended)].join('\n')}\n`)
    return exitCodeForReport(ended)
  }

  /** Each turn of a session reports again that its agent uses another model. Show it only once. */
  function newNotices({ notices = [] }: Report): readonly Notice[] {
    return notices.filter(({ code, message }) => {
      const isKnown = code === 'model' && told.has(message)
      told.add(message)
      return !isKnown
    })
  }

  function whatNext({ status, session, handoffs }: Report): string[] {
    if (status === 'completed')
      return handoffs === undefined ? [] : offerHandoffs(handoffs, style, namesOf(runtime))
    if (!hasPrompt) return [`Continue with: cadre chat --resume ${session}${flags}`]
    if (status === 'cancelled') return ['Stopped. Type a message, or /resume to continue.']
    return [status === 'error' ? 'Type a message, or /resume to try again.' : 'Type a message to continue.']
  }

  return {
    note: (text, data) => write(json ? JSON.stringify(data ?? { type: 'note', text }) : text),
    failure: (error) => reportFailure(error, io, json),
    async ending(result, said) {
      if (json || (result.kind === 'waiting' && !hasPrompt))
        return showEnding(result, runtime, { io, style, json, flags })
      if (result.kind === 'report') return report(result.report, said)
      const questions = await openQuestions(runtime, result.session)
      const { length } = questions
      // The person has just read each question in full.
      const pending = length > 1 ? `${length} decisions are pending.` : 'A decision is pending.'
      write(`\n${pending} Type /resume to see the question again.\n`)
      return exitCodes.waiting
    },
  }
}

/** The available handoffs, and how to accept one. */
export function offerHandoffs(
  handoffs: readonly Handoff[],
  style: Style,
  names: readonly string[],
): string[] {
  if (handoffs.length === 0) return []
  return [
    '',
    ...handoffLines(handoffs, style, names),
    style.dim('  Type a number to accept a handoff. See /help for other ways.'),
  ]
}
