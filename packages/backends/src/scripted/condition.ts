import type { Field } from '../field.ts'
import { quoteText, type RequestView } from './request-view.ts'

/** Returns undefined if the condition is met, otherwise what was expected: `the work to contain "x"`. */
export type ConditionCheck = (asked: RequestView) => string | undefined

const keys = ['last', 'work', 'system', 'history', 'not', 'matches', 'tools', 'withoutTools'] as const

export function compileCondition(field: Field): ConditionCheck {
  if (!field.isMapping) return containedAnywhere(field.words())
  field.mapping('a condition', keys)
  const checks = keys.flatMap((key) => {
    const part = field.at(key)
    return part === undefined ? [] : compilePart[key](part)
  })
  if (checks.length === 0) field.fail(`${field.name} needs one of: ${keys.join(', ')}.`)
  return (asked) => {
    for (const check of checks) {
      const wrong = check(asked)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }
}

const compilePart: { [K in (typeof keys)[number]]: (field: Field) => ConditionCheck[] } = {
  last: (field) => contains(field, 'the last message', (asked) => asked.last),
  work: (field) => contains(field, 'the work', (asked) => asked.work),
  system: (field) => contains(field, 'the system prompt', (asked) => asked.request.system),
  history: (field) =>
    field.texts().map((text) => (asked) => {
      const said = asked.request.messages.some((message) => message.content?.includes(text))
      return said ? undefined : `a message that contains ${quoteText(text)}`
    }),
  not: (field) =>
    field
      .texts()
      .map(
        (text) => (asked) =>
          asked.last.includes(text) ? `the last message without ${quoteText(text)}` : undefined,
      ),
  matches: (field) => {
    const pattern = regexOf(field)
    return [
      (asked) => {
        const found = pattern.exec(asked.last)
        if (found === null) return `the last message to match ${pattern}`
        asked.found = found
        return undefined
      },
    ]
  },
  tools: (field) =>
    field
      .texts()
      .map(
        (tool) => (asked) => (offers(asked, tool) ? undefined : `the tool ${quoteText(tool)} to be offered`),
      ),
  withoutTools: (field) =>
    field
      .texts()
      .map(
        (tool) => (asked) =>
          offers(asked, tool) ? `the tool ${quoteText(tool)} not to be offered` : undefined,
      ),
}

function containedAnywhere(text: string): ConditionCheck {
  const wrong = `${quoteText(text)} in the last message or in the work`
  return (asked) => (asked.last.includes(text) || asked.work.includes(text) ? undefined : wrong)
}

function contains(field: Field, what: string, of: (asked: RequestView) => string): ConditionCheck[] {
  return field
    .texts()
    .map(
      (text) => (asked) => (of(asked).includes(text) ? undefined : `${what} to contain ${quoteText(text)}`),
    )
}

function regexOf(field: Field): RegExp {
  const { value } = field
  const [source, flags] =
    value instanceof RegExp ? [value.source, value.flags] : (parts(field.words()) ?? [field.words(), ''])
  try {
    // With g or y, a pattern is stateful, and the same request would be judged differently the second time.
    return new RegExp(source, flags.replace(/[gy]/g, ''))
  } catch (error) {
    return field.fail(`${field.name} is not a valid regular expression: ${(error as Error).message}.`)
  }
}

function parts(text: string): [string, string] | undefined {
  const match = /^\/(.*)\/([a-z]*)$/s.exec(text)
  return match === null ? undefined : [match[1] ?? '', match[2] ?? '']
}

function offers(asked: RequestView, tool: string): boolean {
  return asked.request.tools.some((offer) => offer.name === tool)
}
