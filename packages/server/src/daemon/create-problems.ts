import type { Problem, Problems, RecordEvent } from '@cadre/channels'

/** `changed`: called whenever the problems change. */
export function createProblems(note: RecordEvent, changed: () => void = () => {}): Problems {
  const known = new Map<string, readonly Problem[]>()
  return {
    report(about, file, problems) {
      const key = `${about}\0${file}`
      const before = known.get(key) ?? []
      const now = problems.map((problem): Problem => ({ ...problem, file }))
      if (now.length === 0) known.delete(key)
      else known.set(key, now)
      const came = now.filter((problem) => !before.some((other) => isSame(problem, other)))
      const gone = before.filter((problem) => !now.some((other) => isSame(problem, other)))
      for (const problem of came)
        note({ type: 'problem.found', message: describeProblem(problem), ...factsOf(problem) })
      for (const problem of gone)
        note({ type: 'problem.mended', message: `Fixed: ${describeProblem(problem)}`, ...factsOf(problem) })
      if (came.length > 0 || gone.length > 0 || isMoved(before, now)) changed()
    },
    list: () => [...known.values()].flat(),
  }
}

/** A problem on another line can still be the same problem. */
function isSame(a: Problem, b: Problem): boolean {
  return a.code === b.code && a.severity === b.severity && a.message === b.message
}

function isMoved(before: readonly Problem[], now: readonly Problem[]): boolean {
  return before.some(({ line, column }, index) => line !== now[index]?.line || column !== now[index]?.column)
}

function describeProblem(problem: Problem): string {
  return `${problemLocation(problem)}: ${problem.message}`
}

/** `file:line:column`, as far as known. */
export function problemLocation({ file, line, column }: Problem): string {
  return [file, ...(line === undefined ? [] : [line, ...(column === undefined ? [] : [column])])].join(':')
}

function factsOf({ file, line, column, code, severity }: Problem) {
  return {
    file,
    severity,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(code !== undefined && { code }),
  }
}
