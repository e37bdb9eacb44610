import { atMost, judge, ratio, times, unit } from './judge.mjs'
import { findRow } from './summary.mjs'

const rowOf = (rows, kind, n) => findRow(rows, { kind, mode: 'copilot', n })

/** What Cadre may add to a minimal client of the language server. */
export function judgeCopilot(rows) {
  const [bare, cadre, many] = [rowOf(rows, 'bare', 8), rowOf(rows, 'cadre', 8), rowOf(rows, 'cadre', 64)]
  const more = (field, limit) => [
    `≤ ${limit} × a bare client`,
    ratio(cadre?.[field], bare?.[field]),
    atMost(limit),
    times,
  ]
  const perSessionKb = many && cadre && ((many.rssMb - cadre.rssMb) * 1000) / (64 - 8)
  return [
    judge('Copilot, 8 conversations at once: wall', ...more('wallMs', 1.1)),
    judge('the same: CPU with that of the language server', ...more('treeCpuMs', 1.2)),
    judge('memory of Cadre for one more session', '< 1000 KB', perSessionKb, (kb) => kb < 1000, unit('KB')),
  ]
}

export function copilotTable(rows, table) {
  const found = rows.filter(({ mode }) => mode === 'copilot')
  if (found.length === 0) return ''
  const body = found.map((row) => {
    if (row.runs === 0) return [row.program, row.n, 'failed']
    const bare = rowOf(rows, 'bare', row.n)
    const cell = (field) => {
      const own = String(Math.round(row[field]))
      return row.kind === 'bare' || !bare ? own : `${own} (${(row[field] / bare[field]).toFixed(2)} ×)`
    }
    return [
      row.program,
      row.n,
      ...['wallMs', 'fastestMs', 'treeCpuMs', 'languageServerCpuMs', 'ownCpuMs'].map(cell),
      Math.round(row.rssMb),
      Math.round(row.languageServerRssMb),
    ]
  })
  const header = [
    'program',
    'at once',
    'wall, ms',
    'fastest of its batches, ms',
    'CPU of both, ms',
    'of the language server',
    'of the program',
    'memory of the program, MB',
    'of the language server, MB',
  ]
  return `### Copilot: conversations of 3 tool calls over one language server, 50 ms per model call (ideal wall: 200 ms)\n\n${table(header, body)}`
}
