import { nearest } from './nearest.ts'

/**
 * Finds the catalogue entry for a model name in an agent file. Returns nothing if the name is unknown or ambiguous, because a wrong guess
 * can cost money. Compares in increasingly loose ways; the first that finds exactly one entry applies:
 *
 * 1. exactly, then case-insensitively;
 * 2. by words: `Claude Sonnet 4.5 (copilot)` matches `claude-sonnet-4.5`, `anthropic/claude-sonnet-4-5` matches any provider, and dates and
 *    `preview` are ignored. All other words must match: a fast or large variant never matches the plain model, or the reverse;
 * 3. `sonnet`, `opus` and `haiku` match the newest plain model of that family.
 */
export function matchModel(wanted: string, catalogue: Iterable<string>): string | undefined {
  const names = [...new Set(catalogue)]
  const written = wanted.trim()
  if (names.includes(written)) return written
  const alike = names.filter((name) => name.toLowerCase() === written.toLowerCase())
  if (alike.length > 0) return onlyElement(alike)
  const entries = names.map((name) => ({ name, readings: readingsOf(name) }))
  const readings = readingsOf(written)
  for (const key of [dated, undated, unmarked]) {
    for (const reading of readings) {
      const found = entries.filter((entry) => entry.readings.some((other) => key(other) === key(reading)))
      if (found.length > 0) return onlyElement(found)?.name
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

/** The models that an agent file names, in order of preference. `A | B` names two. */
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
  /** Without numbers and punctuation, sorted: `claude-3.5-sonnet` and `Claude Sonnet 3.5` are equal. */
  readonly words: readonly string[]
  readonly version: readonly number[]
  readonly date: string
  readonly marks: readonly string[]
}

const marks = new Set(['preview', 'latest'])

const dated = (name: Words) => `${undated(name)} ${name.date}`
const undated = (name: Words) => `${unmarked(name)} ${name.marks.join('-')}`
const unmarked = ({ words, version }: Words) => `${words.join('-')} ${version.join('.')}`

/** Vendors that may follow a name in brackets. Other words in brackets, such as `mini`, are part of the name. */
const vendors =
  /\s*\((copilot|copilotcli|github|github-copilot|anthropic|openai|azure|foundry|google|gemini|vertex|bedrock|aws|groq|ollama|openrouter|xai|mistral|deepseek|cerebras|huggingface|lmstudio|opencode|customoai|customendpoint)\)\s*$/i

/** The interpretations of a name, with and without the part before a slash, the most specific first. */
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
  // The requested version does not exist. Another version may cost more.
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

/** Compares by version, then by date. A name without a date counts as the newest. */
function compare(a: Words, b: Words): number {
  for (let i = 0; i < Math.max(a.version.length, b.version.length); i++) {
    const step = (a.version[i] ?? 0) - (b.version[i] ?? 0)
    if (step !== 0) return step
  }
  const [dateA, dateB] = [a.date || '9', b.date || '9']
  return dateA === dateB ? 0 : dateA < dateB ? -1 : 1
}

/** Returns the only element, or nothing if there are several. */
function onlyElement<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined
}
