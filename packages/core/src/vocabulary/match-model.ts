import { nearest } from './nearest.ts'

/**
 * The entry of a catalogue that a name in an agent's file means, or nothing: an unknown name and one that could mean
 * several are the same to whoever has to decide what is paid for. Names are compared more and more loosely, and the first
 * way that finds exactly one entry counts:
 *
 * 1. as they are, then without case;
 * 2. by their words: `Claude Sonnet 4.5 (copilot)` is `claude-sonnet-4.5`, `anthropic/claude-sonnet-4-5` is that of any
 *    provider, and neither a date nor `preview` makes another model. Every other word does: a fast or a large variant is
 *    never taken for the plain one, nor the other way round;
 * 3. one of the words `sonnet`, `opus` and `haiku` is the newest plain model of that family.
 */
export function matchModel(wanted: string, catalogue: Iterable<string>): string | undefined {
  const names = [...new Set(catalogue)]
  const written = wanted.trim()
  if (names.includes(written)) return written
  const alike = names.filter((name) => name.toLowerCase() === written.toLowerCase())
  if (alike.length > 0) return theOne(alike)
  const entries = names.map((name) => ({ name, readings: readingsOf(name) }))
  const readings = readingsOf(written)
  for (const key of [dated, undated, unmarked]) {
    for (const reading of readings) {
      const found = entries.filter((entry) => entry.readings.some((other) => key(other) === key(reading)))
      if (found.length > 0) return theOne(found)?.name
    }
  }
  return newestOf(written, names)
}

/** Suggestions for a model name that matches nothing: similar spelling first, then similar words. */
export function nearestModels(wanted: string, catalogue: Iterable<string>): string[] {
  const names = [...new Set(catalogue)]
  const { words } = wordsOf(wanted.replace(vendors, ''))
  const related = names
    .map((name) => ({ name, shared: wordsOf(name).words.filter((word) => words.includes(word)).length }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .map(({ name }) => name)
  return [...new Set([...nearest(wanted.replace(vendors, ''), names), ...related])].slice(0, 3)
}

/** The models an agent's file names, in the order of its preference: `A | B` is two. */
export function modelPreferences(models: readonly string[]): string[] {
  return models
    .flatMap((model) => model.split('|'))
    .map((model) =>
      model
        .trim()
        .replace(/^(['"])(.*)\1$/s, '$2')
        .trim(),
    )
    .filter((model) => model !== '')
}

interface Words {
  /** Neither numbers nor marks, in the order of the alphabet: `claude-3.5-sonnet` and `Claude Sonnet 3.5` are one. */
  readonly words: readonly string[]
  readonly version: readonly number[]
  readonly date: string
  readonly marks: readonly string[]
}

const marks = new Set(['preview', 'latest'])

const dated = (name: Words) => `${undated(name)} ${name.date}`
const undated = (name: Words) => `${unmarked(name)} ${name.marks.join('-')}`
const unmarked = ({ words, version }: Words) => `${words.join('-')} ${version.join('.')}`

/** Who may stand in brackets behind a name. Another word there, such as `mini`, is a part of the name. */
const vendors =
  /\s*\((copilot|copilotcli|github|github-copilot|anthropic|openai|azure|foundry|google|gemini|vertex|bedrock|aws|groq|ollama|openrouter|xai|mistral|deepseek|cerebras|huggingface|lmstudio|opencode|customoai|customendpoint)\)\s*$/i

/** How a name can be read: with what stands before a slash, and without. The most telling first. */
function readingsOf(name: string): Words[] {
  const parts = name.replace(vendors, '').split('/')
  return parts.map((_, index) => wordsOf(parts.slice(index).join('/')))
}

function wordsOf(name: string): Words {
  const stamp = /^(.*?)[-@_ ](20\d{2}-?[01]\d-?[0-3]\d)(?=$|[^\d])(.*)$/.exec(name)
  const all = (stamp === null ? name : `${stamp[1]} ${stamp[3]}`)
    .toLowerCase()
    .split(/[\s._/:()[\]@-]+/)
    .filter((word) => word !== '')
  const numbers = all.filter((word) => /^\d{1,3}$/.test(word))
  return {
    words: all.filter((word) => !numbers.includes(word) && !marks.has(word)).sort(),
    version: numbers.map(Number),
    date: (stamp?.[2] ?? '').replaceAll('-', ''),
    marks: all.filter((word) => marks.has(word)).sort(),
  }
}

const families = ['sonnet', 'opus', 'haiku']
const makers = ['claude', 'anthropic']

function newestOf(wanted: string, names: readonly string[]): string | undefined {
  const { words, version, date } = wordsOf(wanted)
  const [family, ...rest] = words.filter((word) => !makers.includes(word))
  if (family === undefined || !families.includes(family) || rest.length > 0) return undefined
  // A version that is not there is not what was asked for, and the next one may cost more.
  if (version.length > 0 || date !== '') return undefined
  const plain = names
    .map((name) => ({ name, ...wordsOf(name.slice(name.lastIndexOf('/') + 1)) }))
    .filter((entry) => entry.words.every((word) => word === family || makers.includes(word)))
    .filter((entry) => entry.words.includes(family))
    .sort((a, b) => compare(b, a))
  const [first, second] = plain
  if (first === undefined || (second !== undefined && compare(first, second) === 0)) return undefined
  return first.name
}

/** By version, then by date; a name without one stands for whatever is newest. */
function compare(a: Words, b: Words): number {
  for (let i = 0; i < Math.max(a.version.length, b.version.length); i++) {
    const step = (a.version[i] ?? 0) - (b.version[i] ?? 0)
    if (step !== 0) return step
  }
  const [dateA, dateB] = [a.date || '9', b.date || '9']
  return dateA === dateB ? 0 : dateA < dateB ? -1 : 1
}

/** Of several that fit equally well, none. */
function theOne<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined
}
