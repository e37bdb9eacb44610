/** Asks a person at the terminal the questions of MCP servers, one at a time. */
import type { ElicitFromPerson } from '@cadre/runtime'
import { cleanLine, cleanText } from '../output/clean-text.ts'
import { foldForTerminal } from '../output/fold-for.ts'
import { readLine } from './ask-line.ts'
import type { AskOptions } from './ask-person.ts'

type Asked = Parameters<ElicitFromPerson>[0]
type Answered = Awaited<ReturnType<ElicitFromPerson>>
type Value = string | number | boolean | readonly string[]

interface Field {
  readonly name: string
  readonly title: string
  readonly type: string
  readonly choices: readonly string[]
  readonly isRequired: boolean
}

const mostFields = 20

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
  { server, message, asks }: Asked,
  signal: AbortSignal,
): Promise<Answered> {
  const write = (text: string) => void io.stdout.write(`${foldForTerminal(io.stdout, text)}\n`)
  const read = (prompt: string) => readLine(io, prompt, { signal, interrupt })
  await screen.lend()
  try {
    write(`\n${style.yellow('?')} The MCP server ${cleanLine(server)} asks:\n  ${cleanText(message)}`)
    if ('url' in asks) {
      write(`  It wants you to open this address. Cadre does not open it:\n  ${cleanLine(asks.url)}`)
      const said = await read('  Did you open it and finish? y, or Enter to decline: ')
      return { action: isYes(said) ? 'accept' : 'decline' }
    }
    const fields = fieldsOf(asks.schema)
    write('  Your answers go to the server. Enter no secrets.')
    if (!isYes(await read('  Answer it? y, or Enter to decline: '))) return { action: 'decline' }
    const content: Record<string, Value> = {}
    for (const field of fields) {
      const value = await readField(field, read, write)
      if (value === 'decline') return { action: 'decline' }
      if (value !== undefined) content[field.name] = value.value
    }
    return { action: 'accept', content }
  } finally {
    screen.reclaim()
  }
}

async function readField(
  field: Field,
  read: (prompt: string) => Promise<string | undefined>,
  write: (text: string) => void,
): Promise<{ readonly value: Value } | undefined | 'decline'> {
  const choices = field.choices.length > 0 ? ` [${field.choices.map(cleanLine).join(', ')}]` : ''
  const hint = field.isRequired ? ', Enter to decline' : ', Enter to skip'
  for (;;) {
    const said = await read(`  ${cleanLine(field.title)}${choices} (${field.type}${hint}): `)
    if (said === undefined) return 'decline'
    if (said === '') return field.isRequired ? 'decline' : undefined
    const value = parsed(field, said)
    if (value !== undefined) return { value }
    write(`  This is not ${field.choices.length > 0 ? 'one of the choices' : `a ${field.type}`}.`)
  }
}

function parsed({ type, choices }: Field, said: string): Value | undefined {
  if (type === 'array') {
    const items = said.split(',').map((item) => item.trim())
    return choices.length === 0 || items.every((item) => choices.includes(item)) ? items : undefined
  }
  if (choices.length > 0) return choices.includes(said) ? said : undefined
  if (type === 'boolean')
    return /^y(?:es)?$|^true$/i.test(said) ? true : /^no?$|^false$/i.test(said) ? false : undefined
  if (type !== 'number' && type !== 'integer') return said
  const value = Number(said)
  return Number.isFinite(value) && (type === 'number' || Number.isInteger(value)) ? value : undefined
}

/** The fields of a form: flat, as MCP defines them. */
function fieldsOf(schema: unknown): readonly Field[] {
  const { properties, required } = (schema ?? {}) as { properties?: unknown; required?: unknown }
  if (typeof properties !== 'object' || properties === null) return []
  const needed = Array.isArray(required) ? required : []
  return Object.entries(properties)
    .slice(0, mostFields)
    .map(([name, property]) => {
      const { type, title, description, items } = (property ?? {}) as Record<string, unknown>
      return {
        name,
        title: [title ?? name, description].filter((text) => typeof text === 'string').join(': '),
        type: typeof type === 'string' ? type : 'string',
        choices: choicesOf(property).length > 0 ? choicesOf(property) : choicesOf(items),
        isRequired: needed.includes(name),
      }
    })
}

function choicesOf(property: unknown): readonly string[] {
  const { enum: values, oneOf, anyOf } = (property ?? {}) as Record<string, unknown>
  if (Array.isArray(values)) return values.map(String)
  const options = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : []
  return options.flatMap((option: { const?: unknown } | null) =>
    option?.const === undefined ? [] : [String(option.const)],
  )
}

function isYes(said: string | undefined): boolean {
  return /^y(?:es)?$/i.test(said ?? '')
}
