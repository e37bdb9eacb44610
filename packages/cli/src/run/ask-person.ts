/**
 * Owns the keyboard while a run goes on. One question is asked at a time; the live tree leaves the screen meanwhile.
 */
import type { Answer, Question } from '@cadre/core'
import type { Io } from '../io.ts'
import { cleanLine, cleanText } from '../output/clean-text.ts'
import type { Style } from '../output/style.ts'
import { readLine } from './read-line.ts'

export type AskPerson = (
  session: string,
  question: Question,
  signal: AbortSignal,
) => Promise<Answer | undefined>

export interface AskOptions {
  readonly io: Io
  readonly style: Style
  readonly screen: {
    /** Makes room for a question. Resolves when the keyboard is free, and what was typed before is out of the way. */
    lend(): Promise<void>
    takeBack(): void
  }
  /** What Ctrl-C does: while a question is read, the terminal gives it to the reader and not to the process. */
  readonly interrupt: () => void
}

/** Asks at the terminal. Nothing back when the person leaves it open: the run then suspends, and can be answered later. */
export function createAskPerson(options: AskOptions): AskPerson {
  let previous: Promise<unknown> = Promise.resolve()
  return (session, question, signal) => {
    const mine = previous.then(() => (signal.aborted ? undefined : ask(options, session, question, signal)))
    previous = mine.catch(() => undefined)
    return mine
  }
}

async function ask(
  { io, style, screen, interrupt }: AskOptions,
  session: string,
  question: Question,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  await screen.lend()
  try {
    if (signal.aborted) return undefined
    const detail = detailOf(question)
    io.stdout.write(
      `\n${style.yellow('?')} ${cleanLine(question.text)}  ${style.dim(`(session ${session})`)}\n`,
    )
    if (detail !== '') io.stdout.write(`${detail}\n`)
    const choices = question.choices.map((choice, index) => `${index + 1} ${choice}`).join(' · ')
    for (;;) {
      const said = await readLine(io, `  ${choices} · Enter to decide later: `, { signal, interrupt })
      if (said === undefined || said === '') return undefined
      const [word = '', ...reason] = said.split(/\s+/)
      const decision = question.choices[Number(word) - 1] ?? only(question.choices, word)
      if (decision !== undefined) {
        const by = io.env['USER'] ?? io.env['USERNAME']
        return { decision, ...(by && { by }), ...(reason.length > 0 && { reason: reason.join(' ') }) }
      }
      io.stdout.write(
        `  Type a number or one of: ${question.choices.join(', ')}; what you add behind it is given as the reason.\n`,
      )
    }
  } finally {
    screen.takeBack()
  }
}

/** What exactly is asked about, so that nobody decides on a name alone. */
function detailOf({ detail }: Question): string {
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return ''
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== '')
    .map(
      ([key, value]) =>
        `  ${key}: ${cleanText(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\n', '\n    ')}`,
    )
    .join('\n')
}

function only(choices: readonly string[], beginning: string): string | undefined {
  const fitting = choices.filter((choice) => choice.toLowerCase().startsWith(beginning.toLowerCase()))
  return fitting.length === 1 ? fitting[0] : undefined
}
