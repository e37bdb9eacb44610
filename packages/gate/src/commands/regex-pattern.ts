export interface Fault {
  readonly fault: string
}

/** A regular expression that cannot run forever. */
interface RegexPattern {
  readonly regex: RegExp
  /** Longer texts are not matched: the time grows polynomially with the length. */
  readonly maxLength: number
}

const limits = [4_000, 4_000, 1_000, 150, 60]

/**
 * Parses `/source/flags`. Rejects repetitions of groups that repeat or contain alternatives (the time would double with
 * every character), backreferences, and more than four unbounded repetitions.
 */
export function readRegex(pattern: string): RegexPattern | Fault {
  const end = pattern.lastIndexOf('/')
  const source = pattern.slice(1, end)
  const flags = pattern.slice(end + 1).replace('g', '')
  if (end < 1 || source === '') return { fault: 'a pattern must not be empty' }
  if (!/^[imsu]*$/.test(flags) || new Set(flags).size !== flags.length)
    return { fault: `the flags "${flags}" are not supported` }
  if (source.length > 500) return { fault: 'the pattern is too long' }
  const repetitions = countRepetitions(source)
  if (typeof repetitions !== 'number') return repetitions
  const steps = repetitions + (source.startsWith('^') ? 0 : 1)
  const maxLength = limits[steps]
  if (maxLength === undefined)
    return { fault: 'the pattern has too many repetitions: at most four *, + or {n,}, or three without ^' }
  try {
    return { regex: new RegExp(source, flags), maxLength }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}

function countRepetitions(source: string): number | Fault {
  let count = 0
  /** For each open group: true if something in it repeats or has alternatives. */
  const groups: boolean[] = [false]
  let closed = false
  for (let at = 0; at < source.length; at++) {
    const letter = source[at] as string
    const wasClosed = closed
    closed = false
    if (letter === '\\') {
      if (/[1-9k]/.test(source[++at] ?? '')) return { fault: 'backreferences are not supported' }
    } else if (letter === '[') {
      for (at++; at < source.length && source[at] !== ']'; at++) if (source[at] === '\\') at++
    } else if (letter === '(') groups.push(false)
    else if (letter === ')') {
      closed = groups.pop() ?? false
      groups[groups.length - 1] = groups.at(-1) === true || closed
    } else if (letter === '|') groups[groups.length - 1] = true
    else {
      const bounds = /^(?:[*+]|\{(\d*)(,?)(\d*)\})/.exec(source.slice(at))
      if (bounds === null) continue
      if (wasClosed)
        return { fault: 'the pattern repeats a group that contains a repetition or alternatives' }
      const [whole, min, comma, max] = bounds
      const isBounded = min !== undefined && Number(max || (comma ? 1e9 : min)) <= 8
      if (!isBounded) count++
      groups[groups.length - 1] = true
      at += whole.length - 1
    }
  }
  return count
}
