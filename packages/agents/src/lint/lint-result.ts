import type { Diagnostic } from '@cadre/disk'
import type { HostEffects } from './hosts/host.ts'

/** One thing a rule says about a file. */
export type Finding = Omit<Diagnostic, 'path'>

/** One file that was looked at, whether or not an agent came out of it. */
export interface LintedFile {
  /** With `/`: relative to the current folder when the file lies below it, absolute otherwise. */
  readonly path: string
  readonly dialect: string
  readonly status: 'ok' | 'rescued' | 'failed'
  /** Its name, when the file defines one agent. */
  readonly agent?: string
  /** Their names, when the file can define several. */
  readonly agents?: readonly string[]
  readonly diagnostics: readonly Finding[]
  /** What other programs make of the file; absent for forms that none of them reads. */
  readonly hosts?: HostEffects
}

export interface LintSummary {
  readonly files: number
  readonly ok: number
  readonly rescued: number
  readonly failed: number
  readonly errors: number
  readonly warnings: number
  readonly infos: number
}

export interface LintResult {
  readonly files: readonly LintedFile[]
  readonly summary: LintSummary
  /** Folders that were not looked through to the end, because they hold more than a project does. */
  readonly endless: readonly string[]
}

export function summaryOf(files: readonly LintedFile[]): LintSummary {
  const counts = { ok: 0, rescued: 0, failed: 0, error: 0, warning: 0, info: 0 }
  for (const file of files) {
    counts[file.status]++
    for (const { severity } of file.diagnostics) counts[severity]++
  }
  const { error: errors, warning: warnings, info: infos, ...states } = counts
  return { files: files.length, ...states, errors, warnings, infos }
}
