import { atMost, below, judge, ratio, times, unit } from './judge.mjs'
import { findRow } from './summary.mjs'

/** The cost limits of a daemon and its files. */
export function judgeHome(rows) {
  return [...wakes(rows), ...crowd(rows), ...tasks(rows)]
}

/** Beyond the time for which a file must be quiet. */
function wakes(rows) {
  const row = findRow(rows, { kind: 'cadre', mode: 'wake' })
  return [
    ['session', 'an entry in a session file'],
    ['task', 'a task in a task file'],
  ].flatMap(([kind, what]) => [
    judge(
      `from ${what} to the first model request, p50`,
      '< 50 ms',
      row?.[kind]?.p50Ms,
      below(50),
      unit('ms'),
    ),
    judge(
      `from ${what} to the first model request, p99`,
      '< 250 ms',
      row?.[kind]?.p99Ms,
      below(250),
      unit('ms'),
    ),
  ])
}

function crowd(rows) {
  const at = (n) => findRow(rows, { kind: 'cadre', mode: 'crowd', n })
  const [few, some, many] = [100, 1000, 10_000].map(at)
  const longest = many && Math.max(many.startMs, many.againMs)
  return [
    judge('start of the daemon with 10,000 sessions', '< 2000 ms', longest, below(2000), unit('ms')),
    judge(
      'the same, against 1,000 sessions',
      '≤ 10 ×',
      ratio(many?.startMs, some?.startMs),
      atMost(10),
      times,
    ),
    judge('memory of the daemon with 10,000 sessions', '< 200 MB', many?.rssMb, below(200), unit('MB')),
    judge(
      'its idle CPU',
      '≤ 1 % of a core',
      many?.idleCpuPercent,
      atMost(1),
      (value) => `${value.toFixed(2)} %`,
    ),
    judge(
      'one more change with 10,000 sessions, against 100, p50',
      '≤ 1.5 ×',
      ratio(many?.wake?.p50Ms, few?.wake?.p50Ms),
      atMost(1.5),
      times,
    ),
  ]
}

/** In CPU time, so that a busy machine does not matter. */
function tasks(rows) {
  const at = (kind, n) => findRow(rows, { kind, mode: 'tasks', n })
  const [few, many, bare] = [at('cadre', 1000), at('cadre', 10_000), at('bare', 10_000)]
  const grown = (what) => ratio(ratio(many?.[what]?.cpuMs, few?.[what]?.cpuMs), 10)
  return [
    judge('reading a task of 10,000, against of 1,000', '≤ 1.3 ×', grown('parse'), atMost(1.3), times),
    judge('a query over 10,000 tasks', '< 250 ms CPU', many?.select?.cpuMs, below(250), unit('ms')),
    judge('setting a field of one of 10,000 tasks', '< 50 ms CPU', many?.edit?.cpuMs, below(50), unit('ms')),
    judge(
      'the same, against rewriting the file by hand',
      '≤ 5 × bare',
      ratio(many?.edit?.cpuMs, bare?.edit?.cpuMs),
      atMost(5),
      times,
    ),
  ]
}
