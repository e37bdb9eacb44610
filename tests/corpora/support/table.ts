import type { ReadFile } from './agent-corpus.ts'
import { hasHeader } from './crude-header.ts'

interface Marks {
  /** Files that strict parsing accepts. */
  readonly strict: ReadonlySet<string>
  /** Those of them with equal results. */
  readonly equal: ReadonlySet<string>
  readonly labelled: ReadonlySet<string>
}

const columns = ['files', 'with header', 'ok', 'rescued', 'failed', 'strict', 'equal', 'labelled'] as const

/** Counts the results of each dialect, for people who run the tests. */
export function byDialect(files: readonly ReadFile[], { strict, equal, labelled }: Marks): string {
  const dialects = [...new Set(files.map(({ read }) => read.dialect))].sort()
  const rows = [...dialects, 'all'].map((dialect) => {
    const own = files.filter(({ read }) => dialect === 'all' || read.dialect === dialect)
    const count = (fits: (file: ReadFile) => boolean) => String(own.filter(fits).length)
    return [
      dialect,
      String(own.length),
      count(({ path, text }) => hasHeader(path, text)),
      ...['ok', 'rescued', 'failed'].map((status) => count((file) => file.status === status)),
      count(({ path }) => strict.has(path)),
      count(({ path }) => equal.has(path)),
      count(({ path }) => labelled.has(path)),
    ]
  })
  return [['dialect', ...columns], ...rows]
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(12))).join(''))
    .join('\n')
}
