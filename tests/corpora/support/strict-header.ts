import { isMap, parseDocument } from 'yaml'

/** The result of strict parsing. Only for well-formed files. */
export interface StrictAgent {
  readonly name: string
  readonly description: string
  readonly tools: 'all' | readonly string[]
  readonly models: readonly string[]
}

type Values = Readonly<Record<string, unknown>>

/** `undefined`: YAML finds any error, or there is no header. */
export function strictAgent(path: string, text: string): StrictAgent | undefined {
  const values = strictHeader(path, text)
  if (values === undefined) return undefined
  return {
    name: nameOf(values, path),
    description: textOf(values['description']),
    tools: toolsOf(
      values,
      /\.ya?ml$/i.test(path) ? /^(tools|capabilities|allowed[-_]?tools)$/i : /^(tools|allowed[-_]?tools)$/i,
    ),
    models: modelsOf(values['model'] ?? values['models']),
  }
}

function strictHeader(path: string, text: string): Values | undefined {
  const plain = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  const isTemplate = /\.ya?ml$/i.test(path)
  const header = isTemplate ? plain : headerIn(plain)
  if (header === undefined) return undefined
  const document = parseDocument(header, { prettyErrors: false, uniqueKeys: true })
  if (document.errors.length > 0 || document.warnings.length > 0 || !isMap(document.contents))
    return undefined
  const values = document.toJS() as Values
  // A template may have its keys in two groups.
  return isTemplate ? { ...values, ...groupOf(values['metadata']), ...groupOf(values['spec']) } : values
}

function headerIn(text: string): string | undefined {
  const lines = text.split('\n')
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  return lines[0]?.trimEnd() === '---' && end !== -1 ? lines.slice(1, end).join('\n') : undefined
}

const groupOf = (value: unknown): Values => (typeof value === 'object' ? { ...value } : {})

function nameOf(values: Values, path: string): string {
  const isTemplate = /\.ya?ml$/i.test(path)
  const written = textOf(isTemplate ? (values['id'] ?? values['agent_id'] ?? values['name']) : values['name'])
  const usable = written !== '' && written.length <= 200 && !/\p{Cc}/u.test(written)
  return usable ? written : agentNameFromPath(path)
}

/** `planner.chat` for `…/planner.chat.agent.md`. */
export function agentNameFromPath(path: string): string {
  const base = path.split('/').at(-1) ?? ''
  return base.replace(/(\.agent|\.chatmode)?\.(md|ya?ml)$/i, '')
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
}

function toolsOf(values: Values, key: RegExp): 'all' | readonly string[] {
  const keys = Object.keys(values).filter((written) => key.test(written))
  const selections = keys.map((written) => selectionOf(values[written]))
  // Two keys: only names in both.
  return selections.reduce(
    (a, b) => (a === 'all' ? b : b === 'all' ? a : a.filter((name) => b.includes(name))),
    'all',
  )
}

/** Empty, `true` and anything else that is not a list of names grants no tools. */
function selectionOf(value: unknown): 'all' | readonly string[] {
  if (typeof value === 'string') return named(split(value))
  if (Array.isArray(value)) return named(split(value.filter((item) => typeof item === 'string').join(',')))
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value)
  if (!entries.every(([, given]) => typeof given === 'boolean')) return []
  const given = entries.filter(([, is]) => is).map(([name]) => name)
  if (given.length > 0) return named(given)
  return entries.some(([name]) => name === '*') ? [] : 'all'
}

function named(names: readonly string[]): 'all' | readonly string[] {
  // `Agent(a, b)` and `Bash(git *)` grant the tool; their limits are checked elsewhere.
  return names.includes('*') ? 'all' : names.map((name) => name.replace(/\(.*$/s, '').trim())
}

/** Splits at commas outside parentheses. */
function split(text: string): string[] {
  const names = text.match(/(?:\([^)]*\)|[^,(])+/g) ?? []
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

/** `inherit` means the default. */
function modelsOf(value: unknown): readonly string[] {
  const models = Array.isArray(value) ? value : [value]
  return models.map(textOf).filter((model) => model !== '' && model !== 'inherit')
}
