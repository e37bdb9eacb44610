/** The result of one check. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** How to fix it. */
  readonly fix?: string
}

export function ok(name: string, message: string): Check {
  return { name, status: 'ok', message }
}

export function warn(name: string, message: string, fix?: string): Check {
  return { name, status: 'warn', message, ...(fix !== undefined && { fix }) }
}

export function fail(name: string, message: string, fix?: string): Check {
  return { name, status: 'fail', message, ...(fix !== undefined && { fix }) }
}
