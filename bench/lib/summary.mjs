import { median } from './median.mjs'

/** One row per program and cell: the medians of its successful runs, with the numbers of successes and failures. */
export function summarise(runs) {
  const groups = new Map()
  for (const run of runs) {
    const key = `${run.mode} ${run.n} ${run.k} ${run.program}`
    groups.set(key, [...(groups.get(key) ?? []), run])
  }
  return [...groups.values()].map((group) => {
    const good = group.filter(({ error }) => !error)
    const { program, kind, mode, n, k } = group[0]
    return {
      program,
      kind,
      mode,
      n,
      k,
      runs: good.length,
      failed: group.length - good.length,
      ...medians(good.map(({ line }) => line)),
      maxConcurrency: median(good.map(({ server }) => server.maxConcurrency)),
      serverCpuMs: median(good.map(({ server }) => server.cpuMs)),
    }
  })
}

/** The row of `program` (a name) or of a kind, for `mode` and, if it matters, `n`. Undefined if nothing succeeded. */
export function findRow(rows, { program, kind, mode, n }) {
  return rows.find(
    (row) =>
      row.runs > 0 &&
      row.mode === mode &&
      (program === undefined || row.program === program) &&
      (kind === undefined || row.kind === kind) &&
      (n === undefined || row.n === n),
  )
}

/** Field by field: the median of numbers, whether any boolean was true, the same inside objects. Texts are omitted. */
function medians(lines) {
  const result = {}
  for (const key of new Set(lines.flatMap(Object.keys))) {
    const values = lines.map((line) => line[key]).filter((value) => value != null)
    if (typeof values[0] === 'number') result[key] = median(values)
    else if (typeof values[0] === 'boolean') result[key] = values.some(Boolean)
    else if (typeof values[0] === 'object') result[key] = medians(values)
  }
  return result
}
