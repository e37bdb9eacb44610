const maxLength = 120

/** The base name of a task's sessions: `<agent>-<task>`, safe as a file name on every system. */
export function sessionBase(agent: string, task: string): string {
  const name = `${agent}-${task}`
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, maxLength)
  return name === '' ? 'task' : name
}

/** `a`, `a-2`, `a-3` … */
export function sessionName(base: string, attempt: number): string {
  return attempt === 1 ? base : `${base}-${attempt}`
}

/** Returns the attempt number of a session, or `undefined` if it does not have this base name. */
export function attemptOf(base: string, session: string): number | undefined {
  if (session === base) return 1
  const [, number] = session.startsWith(`${base}-`)
    ? (/^-([1-9]\d{0,8})$/.exec(session.slice(base.length)) ?? [])
    : []
  return number === undefined ? undefined : Number(number)
}
