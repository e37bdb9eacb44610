import type { CadreError, Handoff, Report, RunResult } from '@cadre/core'
import { type ExitCode, exitCodeOfReport, exitCodes } from '../exit-codes.ts'
import { tellFailure } from '../failure.ts'
import type { Io } from '../io.ts'
import { cleanLine } from '../output/clean-text.ts'
import { handoffLines } from '../output/handoff-text.ts'
import { reportText } from '../output/report-text.ts'
import type { Style } from '../output/style.ts'
import { openQuestions } from '../run/open-questions.ts'
import { showEnding } from '../run/show-ending.ts'
import type { Sessions } from '../runtime/open-sessions.ts'

/** What a chat prints besides the work itself. */
export interface ChatOutput {
  /** For a person the text, for a machine one object. */
  note(text: string, data?: object): void
  /** A line could not be carried out; the chat goes on. */
  failure(error: CadreError): ExitCode
  /** What came of a turn. */
  ending(result: RunResult): Promise<ExitCode>
}

export interface ChatOutputOptions {
  readonly io: Io
  readonly style: Style
  readonly json: boolean
  /** There is a prompt, at which a person can go on. */
  readonly hasPrompt: boolean
  /** Flags a person has to repeat in the next command. */
  readonly flags: string
  readonly sessions: Sessions
}

export function createChatOutput(options: ChatOutputOptions): ChatOutput {
  const { io, style, json, hasPrompt, flags, sessions } = options
  const write = (text: string) => void io.stdout.write(`${text}\n`)

  function report(ended: Report): ExitCode {
    write(`\n${[reportText(ended, style), ...whatNext(ended)].join('\n')}\n`)
    return exitCodeOfReport(ended)
  }

  function whatNext({ status, session, handoffs }: Report): string[] {
    if (status === 'completed') return handoffs === undefined ? [] : offer(handoffs, style)
    if (!hasPrompt) return [`Continue with: cadre chat --resume ${session}${flags}`]
    if (status === 'cancelled') return ['Stopped. Say more, or /resume to go on.']
    return [status === 'error' ? 'Say more, or /resume to try again.' : 'Say more to go on.']
  }

  return {
    note: (text, data) => write(json ? JSON.stringify(data ?? { type: 'note', text }) : text),
    failure: (error) => tellFailure(error, io, json),
    async ending(result) {
      if (json || (result.kind === 'waiting' && !hasPrompt))
        return showEnding(result, sessions, { io, style, json, flags })
      if (result.kind === 'report') return report(result.report)
      const questions = await openQuestions(sessions, result.session)
      const asked = questions.map(({ text }) => `${style.yellow('?')} ${cleanLine(text)}`)
      write(`\n${[...asked, 'It waits for your decision; /resume asks again.'].join('\n')}\n`)
      return exitCodes.waiting
    },
  }
}

/** The handoffs on offer, and how to take one. */
export function offer(handoffs: readonly Handoff[], style: Style): string[] {
  if (handoffs.length === 0) return []
  return ['', ...handoffLines(handoffs, style), style.dim('  A number hands over; /help says how else.')]
}
