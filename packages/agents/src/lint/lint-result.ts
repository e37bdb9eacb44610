import type { Diagnostic } from '@cadre/disk'
import type { HostEffects } from './hosts/host.ts'

/** One finding of a rule about a file. */
export type Finding = Omit<Diagnostic, 'path'>

/** One checked file, with or without a valid agent. */
export interface LintedFile {
  /** With `/`: relative to the current folder if the file is below it, otherwise absolute. */
  readonly path: string
  readonly dialect: string
  readonly status: 'ok' | 'rescued' | 'failed'
  /** Its name, if the file defines one agent. */
  readonly agent?: string
  /** Their names, if the file can define several. */
  readonly agents?: readonly string[]
  readonly diagnostics: readonly Finding[]
  /** How other programs read the file; absent for formats that none of them reads. */
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
  /** Folders that were not searched completely, because they have too many files. */
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
