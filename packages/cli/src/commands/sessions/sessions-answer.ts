import { CadreError, didYouMean } from '@cadre/core'
import { openTrustedSessions, withRecordedGrant } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { nextStepText } from '../../run/next-step-text.ts'
import { openQuestions } from '../../run/open-questions.ts'

export interface AnswerFlags {
  readonly home?: string
  readonly reason?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre sessions answer`. */
export async function answerQuestion(
  io: Io,
  flags: AnswerFlags,
  beginning: string,
  name: string,
  decision: string,
): Promise<ExitCode> {
  const sessions = await openTrustedSessions(io, withRecordedGrant(io, flags, beginning))
  const id = await sessions.find(beginning)
  const stored = await sessions.read(id)
  const open = (await openQuestions(sessions, id)).filter((question) => question.name === name)
  // The id of the run is enough if the question's name is unique in it.
  const question = open.find(({ session }) => session === id) ?? (open.length === 1 ? open[0] : undefined)
  if (question === undefined) {
    const names = (await openQuestions(sessions, id)).map((other) => `${other.session} ${other.name}`)
    const waiting = names.length === 0 ? 'It has no open questions.' : `Open questions: ${names.join(', ')}.`
    throw new CadreError(
      'not_found',
      `session ${id} has no open question ${JSON.stringify(name)}. ${waiting}`,
    )
  }
  if (!question.choices.includes(decision))
    throw new CadreError(
      'usage',
      `${JSON.stringify(decision)} is not a choice for ${name}${didYouMean(decision, question.choices) || '.'} Choices: ${question.choices.join(', ')}.`,
    )
  const by = io.env['USER'] ?? io.env['USERNAME']
  const answer = await sessions.engine.answer(question.session, name, {
    decision,
    ...(by && { by }),
    ...(flags.reason !== undefined && { reason: flags.reason }),
  })
  await sessions.close()
  const { root } = stored.spec
  if (answer === undefined) {
    const voted = { type: 'voted', session: question.session, question: name, decision, root }
    const text = `Recorded your vote on ${name} of ${question.session}. Other people must vote too. To see the votes, run "cadre approvals".`
    io.stdout.write(flags.json ? `${JSON.stringify(voted)}\n` : `${cleanLine(text)}\n`)
    return exitCodes.done
  }
  if (flags.json)
    io.stdout.write(
      `${JSON.stringify({ type: 'answered', session: question.session, question: name, decision, root })}\n`,
    )
  else
    io.stdout.write(
      `Answered ${name} of ${question.session}: ${decision}. ${nextStepText(sessions.home, root, flags)}\n`,
    )
  return exitCodes.done
}
