import path from 'node:path'

export interface Problem {
  readonly path: string
  readonly line: number
  readonly message: string
}

// Output formats of compilers and linters, most specific first. Each is tried on one line, with limited backtracking.
const forms: readonly RegExp[] = [
  /^(?<path>[^\s()][^()]{0,500})\((?<line>\d+)(?:,\d+)?\): (?<message>.+)$/,
  /^(?<path>(?:[A-Za-z]:)?[^\s:][^:]{0,500}):(?<line>\d+)(?::\d+)?(?:[:\s-]+)(?<message>\S.*)$/,
  /^\s*File "(?<path>[^"]{1,500})", line (?<line>\d+)(?<message>.*)$/,
  /^\s*at (?:.{0,200}\()?(?<path>[^():]{1,500}):(?<line>\d+):\d+\)?(?<message>)$/,
]

/** Returns the problems in the output of a check, with paths relative to `root`, without duplicates. */
export function findProblems(output: string, root: string): Problem[] {
  const found = new Map<string, Problem>()
  let file = ''
  let title = ''
  for (const raw of output.split('\n')) {
    const line = withoutColours(raw).trimEnd()
    if (line.length > 4_000) continue
    const problem = arrow(line, title) ?? listed(line, file) ?? direct(line)
    if (problem === undefined) {
      if (/^(error|warning)\b/i.test(line)) title = line
      // A linter may print a file name once, with its problems below.
      file = /^\S.{0,500}\.\w{1,10}$/.test(line) ? line : line.trim() === '' ? '' : file
      continue
    }
    const relative = relativeTo(root, problem.path)
    if (relative === undefined) continue
    const key = `${relative}:${problem.line}:${problem.message}`
    if (!found.has(key)) found.set(key, { ...problem, path: relative })
  }
  return [...found.values()]
}

/** `  --> src/main.rs:4:5` below the message. */
function arrow(line: string, title: string): Problem | undefined {
  const match = /^\s*--> (.{1,500}):(\d+):\d+$/.exec(line)
  return match === null
    ? undefined
    : { path: match[1] as string, line: Number(match[2]), message: title || 'error' }
}

/** `  4:10  error  message` below the file name. */
function listed(line: string, file: string): Problem | undefined {
  const match = file === '' ? null : /^\s+(\d+):\d+\s+(\S.*)$/.exec(line)
  return match === null
    ? undefined
    : { path: file, line: Number(match[1]), message: (match[2] as string).replace(/\s{2,}/g, ' ') }
}

function direct(line: string): Problem | undefined {
  for (const form of forms) {
    const groups = form.exec(line)?.groups
    if (groups?.['path'] === undefined) continue
    // `12:30:45 starting` is a time, `http://…` a URL: a path contains a letter and no scheme.
    if (
      !/[A-Za-z_]/.test(groups['path']) ||
      /^[a-z]+:?\/\//i.test(groups['path']) ||
      /^https?$/.test(groups['path'])
    )
      continue
    return {
      path: groups['path'].trim(),
      line: Number(groups['line']),
      message: groups['message']?.trim() || "see the check's output",
    }
  }
  return undefined
}

function relativeTo(root: string, given: string): string | undefined {
  const relative = path.relative(root, path.resolve(root, given))
  if (relative === '' || relative.startsWith('..') || path.isAbsolute(relative)) return undefined
  return relative.split(path.sep).join('/')
}

function withoutColours(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with one
  return line.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
}
