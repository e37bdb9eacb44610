import { chatTable } from './chat-report.mjs'
import { copilotTable } from './copilot-report.mjs'
import { homeTables } from './home-tables.mjs'
import { findRow } from './summary.mjs'

/** The whole result as Markdown. Sections that were not requested are omitted; aims never are. */
export function renderReport({ rows, help, aims, skipped, runs, machine }) {
  return [
    renderMachine(machine),
    ...overheadTables(rows),
    historyTable(rows),
    longSessionTable(rows),
    agentsTable(rows),
    gateTable(rows),
    mcpTable(rows),
    ...homeTables(rows, table),
    telemetryTable(rows),
    chatTable(rows, table),
    copilotTable(rows, table),
    startTable(rows, help),
    aimsTable(aims),
    notes(skipped, runs),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function renderMachine({ node, cpus, load, reps }) {
  const busy = `load average ${load.before.toFixed(1)} before and ${load.after.toFixed(1)} after`
  return `Node ${node}, ${cpus} cores, ${busy}. Medians of ${reps} run${reps === 1 ? '' : 's'}; × is the multiple of the bare loop.`
}

function overheadTables(rows) {
  const fanout = rows.filter(({ mode }) => mode === 'fanout')
  if (fanout.length === 0) return []
  const ns = [...new Set(fanout.map(({ n }) => n))]
  const programs = [...new Set(fanout.map(({ program }) => program))]
  const grid = (title, cell) =>
    table(
      [title, ...ns.map((n) => `N=${n}`)],
      programs.map((program) => [program, ...ns.map((n) => cellText(fanout, { program, n, cell }))]),
    )
  return [
    '### Overhead: a lead and N workers in parallel, 5 calls each, 50 ms per model call (ideal wall: 400 ms)',
    grid('wall, ms', (row, bare) => withRatio(row, bare, 'wallMs')),
    grid('CPU per turn, µs', (row, bare) => withRatio(row, bare, 'cpuPerTurnUs')),
    grid('CPU of the whole process, ms', (row, bare) => withRatio(row, bare, 'processCpuMs')),
    grid('peak memory, MB', (row) => round(row.rssMb)),
    grid('most requests at once', (row) => round(row.maxConcurrency)),
  ]
}

function cellText(rows, { program, n, cell }) {
  const row = findRow(rows, { program, mode: 'fanout', n })
  return row ? cell(row, findRow(rows, { kind: 'bare', mode: 'fanout', n })) : 'failed'
}

function withRatio(row, bare, field) {
  if (row.kind === 'bare' || !bare) return round(row[field])
  return `${round(row[field])} (${(row[field] / bare[field]).toFixed(2)} ×)`
}

function telemetryTable(rows) {
  const all = rows.filter(({ mode }) => mode === 'telemetry')
  if (all.length === 0) return ''
  const body = all.map((row) => {
    if (row.runs === 0) return [row.program, row.n, 'failed']
    const off = findRow(rows, { kind: 'command', mode: 'telemetry', n: row.n })
    const cpu = row === off || !off ? round(row.processCpuMs) : withRatio(row, off, 'processCpuMs')
    return [row.program, row.n, round(row.wallMs), cpu, round(row.rssMb)]
  })
  const title = '### Telemetry: `cadre run` without and with a collector; × is the multiple of without'
  return `${title}\n\n${table(['program', 'N', 'wall, ms', 'CPU of the whole process, ms', 'peak memory, MB'], body)}`
}

function historyTable(rows) {
  const history = rows.filter(({ mode }) => mode === 'history')
  if (history.length === 0) return ''
  const bare = findRow(rows, { kind: 'bare', mode: 'history' })
  const turns = [100, 500, 950]
  const cpu = (row, turn) => row?.turnsAt?.[turn]?.cpuMs
  const body = history.map((row) =>
    row.runs === 0
      ? [row.program, 'failed']
      : [
          row.program,
          (row.wallMs / 1000).toFixed(1),
          ...turns.map((turn) => fixed(cpu(row, turn))),
          ...turns.map((turn) => (row.kind === 'bare' ? '' : fixed(cpu(row, turn) - cpu(bare, turn)))),
          round(row.rssMb),
        ],
  )
  const header = [
    'program',
    'total, s',
    ...turns.map((turn) => `CPU ms, turn ${turn}`),
    ...turns.map((turn) => `added, turn ${turn}`),
    'peak memory, MB',
  ]
  return `### History: one agent, 1,000 calls in a row, no latency\n\n${table(header, body)}`
}

function longSessionTable(rows) {
  const flat = findRow(rows, { mode: 'flat' })
  const resume = findRow(rows, { mode: 'resume' })
  const body = [
    flat && ['a round at 100–200', `${round(flat.earlyUs)} µs`],
    flat && ['a round at 4,900–5,000', `${round(flat.lateUs)} µs`],
    flat && ['session file rewritten', flat.rewritten ? 'yes' : 'no'],
    resume && [`resuming ${resume.entries ?? resume.k} entries`, `${round(resume.resumeMs)} ms`],
  ].filter(Boolean)
  return body.length > 0 && `### Long sessions\n\n${table(['Cadre', ''], body)}`
}

function agentsTable(rows) {
  const agents = rows.filter(({ mode }) => mode === 'agents')
  if (agents.length === 0) return ''
  const body = agents.map((row) => {
    if (row.runs === 0) return [row.program, row.n, 'failed']
    const bare = findRow(rows, { kind: 'bare', mode: 'agents', n: row.n })
    return [
      row.program,
      row.n,
      withRatio(row, bare, 'coldMs'),
      round(row.coldPerFileUs),
      fixed(row.warmMs),
      fixed(row.reloadMs),
    ]
  })
  const header = ['program', 'files', 'cold, ms', 'a file, µs', 'asked again, ms', 'after one change, ms']
  return `### Agent files: reading a repository of them\n\n${table(header, body)}`
}

function gateTable(rows) {
  const [bare, ...others] = ['bare', 'cadre', 'command'].map((kind) => findRow(rows, { kind, mode: 'gate' }))
  if (!bare || !others.every(Boolean)) return ''
  const line = (what, pick) => {
    const base = pick(bare)
    return [
      what,
      fixed(base),
      ...others.map((row) => `${fixed(pick(row))} (${(pick(row) / base).toFixed(2)} ×)`),
    ]
  }
  const body = [
    ...['read', 'write', 'command'].map((kind) =>
      line(`an allowed ${kind}, µs CPU`, ({ callUs }) => callUs[kind]),
    ),
    line('a command line of 1 KB, µs CPU', ({ parseUs }) => parseUs),
    line('a hook process, ms', ({ hookMs }) => hookMs),
    line('100 calls with a hook each, ms', ({ hundred }) => hundred.wallMs),
    line('the longest pause of the loop meanwhile, ms', ({ hundred }) => hundred.longestPauseMs),
  ]
  return `### The gate: what it costs to judge a call\n\n${table(['', 'bare', 'cadre', 'cadre run'], body)}`
}

function mcpTable(rows) {
  const [bare, cadre] = ['bare', 'cadre'].map((kind) => findRow(rows, { kind, mode: 'mcp' }))
  if (!bare || !cadre) return ''
  const line = (what, pick) => {
    const [a, b] = [pick(bare), pick(cadre)]
    return [what, fixed(a), `${fixed(b)} (${(b / a).toFixed(2)} ×)`]
  }
  const body = [line('a call, µs CPU', ({ callUs }) => callUs), line('a call, ms', ({ callMs }) => callMs)]
  return `### MCP: a call of a trivial tool over standard input and output\n\n${table(['', 'bare', 'cadre'], body)}`
}

function startTable(rows, help) {
  const cold = rows.filter(({ mode }) => mode === 'cold')
  const body = cold.map((row) => [
    `${row.program}: first model request`,
    row.runs === 0 ? 'failed' : round(row.firstRequestMs),
  ])
  if (help?.helpMs) {
    body.push(['node -e 0', round(help.nodeMs)])
    body.push(['cadre --help', `${round(help.helpMs)} (${(help.helpMs / help.nodeMs).toFixed(2)} × node)`])
  }
  return body.length > 0 && `### Start, from the start of the process\n\n${table(['', 'ms'], body)}`
}

function aimsTable(aims) {
  const body = aims.map(({ aim, limit, measured, verdict }) => [aim, limit, measured, verdict])
  return `### Aims\n\n${table(['aim', 'limit', 'measured', 'result'], body)}`
}

function notes(skipped, runs) {
  const failures = runs
    .filter(({ error }) => error)
    .map(
      ({ program, mode, n, rep, error }) =>
        `failed: ${program} ${mode} N=${n}, run ${rep}: ${error.split('\n', 1)[0]}`,
    )
  return [...skipped, ...failures].map((line) => `- ${line}`).join('\n')
}

function table(header, body) {
  const line = (cells) => `| ${header.map((_, i) => cells[i] ?? '').join(' | ')} |`
  return [line(header), `|${'---|'.repeat(header.length)}`, ...body.map(line)].join('\n')
}

const round = (value) => (Number.isFinite(value) ? String(Math.round(value)) : '')
const fixed = (value) => (Number.isFinite(value) ? value.toFixed(2) : '')
