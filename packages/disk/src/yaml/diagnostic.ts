/** A message to the user about a file, with its location. */
export interface Diagnostic {
  readonly path: string
  readonly line?: number
  readonly severity: 'error' | 'warning' | 'info'
  /** Stable, kebab-case: for `lint --json` and for tests. */
  readonly code: string
  readonly message: string
  /** What to write instead. */
  readonly fix?: string
}

/** `path:line: message`, followed by the fix. */
export function showDiagnostic({ path, line, message, fix }: Diagnostic): string {
  const place = line === undefined ? path : `${path}:${line}`
  return fix === undefined ? `${place}: ${message}` : `${place}: ${message} ${fix}`
}
