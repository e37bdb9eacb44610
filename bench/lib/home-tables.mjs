import { findRow } from './summary.mjs'

/** The results for homes, as Markdown. `table(header, body)` renders one table. */
export function homeTables(rows, table) {
  return [wakeTable(rows, table), crowdTable(rows, table), tasksTable(rows, table)].filter(Boolean)
}

function wakeTable(rows, table) {
  const found = rows.filter(({ mode }) => mode === 'wake')
  if (found.length === 0) return ''
  const body = found.map(({ program, runs, session, task }) =>
    runs === 0
      ? [program, 'failed']
      : [
          program,
          ...[session, task].flatMap(({ p50Ms, p99Ms, mostMs }) => [p50Ms, p99Ms, mostMs].map(fixed)),
        ],
  )
  const header = [
    'ms',
    ...['entry', 'task'].flatMap((what) => ['p50', 'p99', 'longest'].map((part) => `${what}, ${part}`)),
  ]
  return `### Homes: from a saved file to the first model request, beyond the 50 ms for which a file must be quiet\n\n${table(header, body)}`
}

function crowdTable(rows, table) {
  const found = rows.filter(({ mode }) => mode === 'crowd')
  if (found.length === 0) return ''
  const body = found.map(
    ({ program, n, runs, startMs, startCpuMs, againMs, rssMb, idleCpuPercent, wake, wakeCpuMs }) =>
      runs === 0
        ? [program, n, 'failed']
        : [
            program,
            n,
            ...[startMs, startCpuMs, againMs, rssMb].map((value) => String(Math.round(value))),
            fixed(idleCpuPercent),
            fixed(wake.p50Ms),
            fixed(wake.p99Ms),
            String(Math.round(wakeCpuMs)),
          ],
  )
  const header = [
    'program',
    'sessions',
    'first start, ms',
    'its CPU, ms',
    'start again, ms',
    'memory, MB',
    'idle CPU, %',
    'one more change, p50, ms',
    'p99, ms',
    'its CPU with git, ms',
  ]
  return `### Homes: many sessions\n\n${table(header, body)}`
}

const works = {
  parse: 'reading',
  select: 'a query',
  again: 'a query, nothing has changed',
  edit: 'setting a field of one',
}

function tasksTable(rows, table) {
  const ns = [...new Set(rows.filter(({ mode }) => mode === 'tasks').map(({ n }) => n))]
  if (ns.length === 0) return ''
  const cells = (work, n) => {
    const [bare, cadre] = ['bare', 'cadre'].map(
      (kind) => findRow(rows, { kind, mode: 'tasks', n })?.[work]?.cpuMs,
    )
    if (bare === undefined || cadre === undefined) return ['failed', 'failed']
    return [fixed(bare), `${fixed(cadre)} (${(cadre / bare).toFixed(1)} ×)`]
  }
  const body = Object.entries(works).map(([work, name]) => [name, ...ns.flatMap((n) => cells(work, n))])
  const header = ['CPU, ms', ...ns.flatMap((n) => [`bare, ${n}`, `cadre, ${n}`])]
  return `### Task files: tasks in one file\n\n${table(header, body)}`
}

const fixed = (value) => (Number.isFinite(value) ? value.toFixed(1) : '')
