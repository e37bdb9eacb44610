import { didYouMean } from '@cadre/core'
import { type Diagnostic, type Located, maskUserinfo } from '@cadre/disk'
import type { ValueShape } from './config-shape.ts'

/** Returns all errors in a configuration or policy, each with its line and one sentence. */
export function checkShape(
  root: Located,
  shape: ValueShape,
  path: string,
  what: 'configuration' | 'policy' = 'configuration',
): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const wrong = (line: number, code: string, message: string) =>
    diagnostics.push({ path, line, severity: 'error', code, message })
  check(root, shape, '')
  return diagnostics

  function check(at: Located, wanted: ValueShape, name: string): void {
    if (wanted.kind === 'anything') return
    if (wanted.kind === 'choice') {
      if (typeof at.value === 'string' && wanted.of.includes(at.value)) return
      wrong(at.line, 'wrong-value', `${name} must be ${joinWithOr(wanted.of)}, not ${describeValue(at)}.`)
      return
    }
    if (wanted.kind === 'range') {
      const { min, max } = wanted
      if (Number.isSafeInteger(at.value) && (at.value as number) >= min && (at.value as number) <= max) return
      wrong(
        at.line,
        'wrong-value',
        `${name} must be a whole number from ${min} to ${max}, not ${describeValue(at)}.`,
      )
      return
    }
    if (wanted.kind === 'matching') {
      if (typeof at.value === 'string' && wanted.pattern.test(at.value)) return
      wrong(at.line, 'wrong-value', `${name} must be ${wanted.says}, not ${describeValue(at)}.`)
      return
    }
    if (wanted.kind === 'list') {
      if (at.items !== undefined)
        for (const [index, item] of at.items.entries()) check(item, wanted.of, `${name}[${index}]`)
      else if (wanted.orOne === true) check(at, wanted.of, name)
      else wrong(at.line, 'wrong-value', `${name} must be a list, not ${describeValue(at)}.`)
      return
    }
    if (wanted.kind !== 'keys' && wanted.kind !== 'named') {
      if (!fits(at, wanted.kind))
        wrong(at.line, 'wrong-value', `${name} must be ${kindNames[wanted.kind]}, not ${describeValue(at)}.`)
      return
    }
    if (at.fields === undefined) {
      wrong(
        at.line,
        'wrong-value',
        `${name || `The ${what}`} must be a mapping of keys to values, not ${describeValue(at)}.`,
      )
      return
    }
    for (const [key, field] of at.fields) {
      const full = name === '' ? key : `${name}.${key}`
      const secret = secretIn(key, name)
      const next =
        wanted.kind === 'named' ? wanted.of : Object.hasOwn(wanted.keys, key) ? wanted.keys[key] : undefined
      if (secret !== undefined) wrong(field.line, 'secret', `${full} ${secret}`)
      else if (next !== undefined) check(field, next, full)
      else
        wrong(
          field.line,
          'unknown-key',
          unknown(key, name || what, Object.keys(wanted.kind === 'keys' ? wanted.keys : {})),
        )
    }
    for (const key of wanted.kind === 'keys' ? (wanted.required ?? []) : []) {
      if (!at.fields.has(key)) wrong(at.line, 'missing-key', `${name} needs ${key}.`)
    }
  }
}

const kindNames = {
  text: 'text',
  flag: 'true or false',
  whole: 'a whole number greater than 0',
  count: 'a whole number of at least 0',
  amount: 'a number of at least 0',
  texts: 'a list of strings',
  names: 'a list of environment variable names, such as [NPM_TOKEN]: names only, never values',
  words: 'a list of words, such as [npx, tsc, --noEmit]: the program first, then its arguments',
} as const

function fits({ value, items }: Located, kind: keyof typeof kindNames): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && value.trim() !== ''
    case 'flag':
      return typeof value === 'boolean'
    case 'whole':
      return Number.isSafeInteger(value) && (value as number) > 0
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 0
    case 'amount':
      return typeof value === 'number' && value >= 0
    case 'names':
      return items?.every((item) => typeof item.value === 'string' && variableName.test(item.value)) === true
    case 'texts':
    case 'words':
      return (
        items?.every((item) => typeof item.value === 'string' && item.value !== '') === true &&
        (kind === 'texts' || items.length > 0)
      )
  }
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/

/** `allow, ask or deny`. */
function joinWithOr(words: readonly string[]): string {
  return words.length === 1 ? `${words[0]}` : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function unknown(key: string, within: string, known: readonly string[]): string {
  if (within === 'copilot' && key === 'model')
    return 'There is no key "model" under copilot. Set "model: copilot-ls:gpt-5" at the top level.'
  const place = within === 'configuration' || within === 'policy' ? `in the ${within}` : `under ${within}`
  return `There is no key ${JSON.stringify(key)} ${place}${didYouMean(key, known) || `. Known keys: ${known.join(', ')}`}.`.replace(
    /\?\.$/,
    '?',
  )
}

const secretKey = /^(api[-_]?keys?|key|token|access[-_]?token|secret|password|bearer)$/i
const secretHeader = /^(authorization|proxy-authorization|cookie|api-key|x-api-key|.*-(token|secret|key))$/i

/** Settings files are read by agents, copied and committed, so they must not contain secrets. */
function secretIn(key: string, within: string): string | undefined {
  const [, server = ''] = /^(openai|anthropic)\.(headers|query)$/.exec(within) ?? []
  if (server !== '') {
    return secretHeader.test(key) || secretKey.test(key)
      ? `${secretMessage(server)} and keyHeader: ${key} to send it there.`
      : undefined
  }
  if (within === 'copilot.provider.headers')
    return secretHeader.test(key) || secretKey.test(key) ? `${providerHolds}.` : undefined
  if (within === 'copilot' && /token$/i.test(key) && secretKey.test(key)) return copilotToken
  if (within.startsWith('copilot')) return secretKey.test(key) ? `${providerHolds}.` : undefined
  const isPlace = within === '' || within === 'openai' || within === 'anthropic'
  return isPlace && secretKey.test(key) ? `${secretMessage(within || 'openai')}.` : undefined
}

function secretMessage(server: string): string {
  return `is a secret. Do not write secrets to a file. Use ${server}.keyCommand, a command that prints it,`
}

const providerHolds =
  'is a secret. Do not write secrets to a file. Set COPILOT_PROVIDER_API_KEY, or use copilot.provider.keyCommand, a command that prints it'

const copilotToken =
  'is a secret. Do not write secrets to a file. Run "cadre login", or set GH_COPILOT_TOKEN (copilot-ls) or COPILOT_GITHUB_TOKEN (copilot-sdk).'

function describeValue({ value, fields, items }: Located): string {
  if (value === null) return 'nothing'
  if (fields !== undefined) return 'a mapping'
  if (items !== undefined) return 'a list'
  // The whole value is one address, so a password in it may contain anything.
  const shown = typeof value === 'string' ? value.replace(/:\/\/.*@/s, '://***@') : value
  return maskUserinfo(JSON.stringify(shown)).slice(0, 60)
}
