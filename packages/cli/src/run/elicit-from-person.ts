/** Asks a person in the terminal the questions of MCP servers, one at a time. */
import {
  type ElicitFromPerson,
  elicitationQuestion,
  type FieldValue,
  type FormField,
  readField,
} from '@cadre/runtime'
import { cleanLine, cleanText } from '../output/clean-text.ts'
import { wrapForTerminal } from '../output/wrap-for-terminal.ts'
import { readLine } from './ask-line.ts'
import type { AskOptions } from './ask-person.ts'

type Asked = Parameters<ElicitFromPerson>[0]
type Answered = Awaited<ReturnType<ElicitFromPerson>>

export function createElicitFromPerson(options: Omit<AskOptions, 'preview'>): ElicitFromPerson {
  let previous: Promise<unknown> = Promise.resolve()
  return (asked, signal) => {
    const mine = previous.then((): Promise<Answered> | Answered =>
      signal.aborted ? { action: 'cancel' } : ask(options, asked, signal),
    )
    previous = mine.catch(() => undefined)
    return mine
  }
}

async function ask(
  { io, style, screen, interrupt }: Omit<AskOptions, 'preview'>,
  asked: Asked,
  signal: AbortSignal,
): Promise<Answered> {
  const question = elicitationQuestion(asked)
  if (question.kind === 'declined') return question.answer
  const write = (text: string) => void io.stdout.write(`${wrapForTerminal(io.stdout, text)}\n`)
  const read = (prompt: string) => readLine(io, prompt, { signal, interrupt })
  await screen.lend()
  try {
    write(`\n${style.yellow('?')} ${cleanLine(question.asker)}:\n  ${cleanText(question.message)}`)
    if (question.kind === 'page') {
      write(`  The server asks you to open this address yourself:\n  ${cleanLine(question.url)}`)
      const said = await read('  Did you open it and finish? y, or Enter to decline: ')
      return { action: isYes(said) ? 'accept' : 'decline' }
    }
    write('  Cadre sends your answers to the server. Do not enter secrets.')
    if (!isYes(await read('  Answer the server? y, or Enter to decline: '))) return { action: 'decline' }
    const content: Record<string, FieldValue> = {}
    for (const field of question.fields) {
      const value = await askField(field, read, write)
      if (value === 'decline') return { action: 'decline' }
      if (value !== undefined) content[field.name] = value.value
    }
    return { action: 'accept', content }
  } finally {
    screen.reclaim()
  }
}

async function askField(
  field: FormField,
  read: (prompt: string) => Promise<string | undefined>,
  write: (text: string) => void,
): Promise<{ readonly value: FieldValue } | undefined | 'decline'> {
  const choices =
    field.choices.length > 0 ? ` [${field.choices.map(({ value }) => cleanLine(value)).join(', ')}]` : ''
  const hint = field.isRequired ? ', Enter to decline' : ', Enter to skip'
  for (;;) {
    const said = await read(`  ${cleanLine(field.title)}${choices} (${field.type}${hint}): `)
    if (said === undefined) return 'decline'
    if (said === '') return field.isRequired ? 'decline' : undefined
    const value = readField(field, said)
    if (value !== undefined) return { value }
    write(`  This is not ${field.choices.length > 0 ? 'one of the choices' : `a ${field.type}`}.`)
  }
}

function isYes(said: string | undefined): boolean {
  return /^y(?:es)?$/i.test(said ?? '')
}
