import { judgeChat } from './chat-report.mjs'
import { judgeCopilot } from './copilot-report.mjs'
import { judgeHome } from './home-aims.mjs'
import { atMost, judge, ratio, times, unit } from './judge.mjs'
import { findRow } from './summary.mjs'

/**
 * The cost limits of Cadre. Each aim returns `{ aim, limit, measured, verdict }`, with verdict 'met', 'missed' or 'not
 * measured': no aim is omitted because it looks bad.
 */
export function judgeAims({ rows, help, packageMb, ns }) {
  return [
    ...ns.map((n) => cpuPerTurn(rows, n)),
    ...[100, 1000].map((n) => wholeProcess(rows, n)),
    wallAtThousand(rows),
    memoryAtThousand(rows),
    firstRequest(rows),
    helpTime(help),
    packedSize(packageMb),
    historyIsFlat(rows),
    longSessionIsFlat(rows),
    resumeTime(rows),
    agentsAreLinear(rows),
    reloadIsCheap(rows),
    ...allowedCalls(rows),
    hookProcess(rows),
    hundredHooks(rows),
    mcpCall(rows),
    exporting(rows),
    ...judgeHome(rows),
    judgeChat(rows),
    ...judgeCopilot(rows),
  ]
}

function cpuPerTurn(rows, n) {
  const { bare, cadre } = fanout(rows, n)
  return judge(
    `CPU per turn, N=${n}`,
    '≤ 2 × bare',
    ratio(cadre?.cpuPerTurnUs, bare?.cpuPerTurnUs),
    atMost(2),
    times,
  )
}

function wholeProcess(rows, n) {
  const { bare } = fanout(rows, n)
  const command = findRow(rows, { kind: 'command', mode: 'fanout', n })
  return judge(
    `CPU of \`cadre run\`, whole process, N=${n}`,
    '≤ 2.5 × bare',
    ratio(command?.processCpuMs, bare?.processCpuMs),
    atMost(2.5),
    times,
  )
}

function wallAtThousand(rows) {
  const { bare, cadre } = fanout(rows, 1000)
  return judge('wall, N=1000', '≤ 2 × bare', ratio(cadre?.wallMs, bare?.wallMs), atMost(2), times)
}

function memoryAtThousand(rows) {
  const command = findRow(rows, { kind: 'command', mode: 'fanout', n: 1000 })
  return judge('peak memory of `cadre run`, N=1000', '< 250 MB', command?.rssMb, (mb) => mb < 250, unit('MB'))
}

function firstRequest(rows) {
  const cadre = findRow(rows, { kind: 'cadre', mode: 'cold' })
  const aim = 'first model request after process start'
  return judge(aim, '≤ 200 ms', cadre?.firstRequestMs, atMost(200), unit('ms'))
}

function helpTime(help) {
  return judge('cadre --help', '≤ 2 × node -e 0', ratio(help?.helpMs, help?.nodeMs), atMost(2), times)
}

function packedSize(packageMb) {
  return judge('size of the packed command', '≤ 5 MB', packageMb, atMost(5), unit('MB'))
}

/**
 * The bare loop also gets slower with the history, because each request contains it; so only what Cadre adds counts. It may
 * grow by a tenth of a late bare turn, which is about the variation between two runs of the same program.
 */
function historyIsFlat(rows) {
  const bare = findRow(rows, { kind: 'bare', mode: 'history' })?.turnsAt
  const cadre = findRow(rows, { kind: 'cadre', mode: 'history' })?.turnsAt
  const aim = 'what is added to a bare turn grows from turn 100 to 950'
  const limit = '≤ 0.1 × bare turn 950'
  if (!bare?.[950] || !cadre?.[950]) return judge(aim, limit)
  const added = (turn) => cadre[turn].cpuMs - bare[turn].cpuMs
  return judge(aim, limit, (added(950) - added(100)) / bare[950].cpuMs, atMost(0.1), times)
}

function longSessionIsFlat(rows) {
  const flat = findRow(rows, { kind: 'cadre', mode: 'flat' })
  const aim = 'a round at 4,900–5,000 against one at 100–200, file never rewritten'
  const growth = ratio(flat?.lateUs, flat?.earlyUs)
  return judge(aim, '≤ 1.3 ×', growth, (value) => value <= 1.3 && flat.rewritten === false, times)
}

function resumeTime(rows) {
  const resume = findRow(rows, { kind: 'cadre', mode: 'resume' })
  return judge(
    'resuming a session of 15,000 entries',
    '< 250 ms',
    resume?.resumeMs,
    (ms) => ms < 250,
    unit('ms'),
  )
}

function agentsAreLinear(rows) {
  const at = (n) => findRow(rows, { kind: 'cadre', mode: 'agents', n })?.coldPerFileUs
  return judge(
    'reading an agent file, of 2,000 against of 500',
    '≤ 1.3 ×',
    ratio(at(2000), at(500)),
    atMost(1.3),
    times,
  )
}

function reloadIsCheap(rows) {
  const row = findRow(rows, { kind: 'cadre', mode: 'agents', n: 2000 })
  const aim = 'after one change of 2,000 agent files, against reading them all'
  return judge(aim, '≤ 0.1 ×', ratio(row?.reloadMs, row?.coldMs), atMost(0.1), times)
}

/** In CPU time, so that a busy machine does not matter. */
function allowedCalls(rows) {
  return [
    ['cadre', 'in the library'],
    ['command', 'in `cadre run`'],
  ].flatMap(([program, place]) => {
    const { callUs = {} } = findRow(rows, { kind: program, mode: 'gate' }) ?? {}
    return ['read', 'write', 'command'].map((kind) =>
      judge(
        `the gate ${place}, an allowed ${kind} without hooks`,
        '< 200 µs CPU',
        callUs[kind],
        (us) => us < 200,
        unit('µs'),
      ),
    )
  })
}

function hookProcess(rows) {
  const { bare, cadre } = gate(rows)
  return judge(
    'a PreToolUse hook',
    '≤ 2 × a process by hand',
    ratio(cadre?.hookMs, bare?.hookMs),
    atMost(2),
    times,
  )
}

/** A person who types, and every other session, waits this long. Starting a process blocks the caller, even in the baseline. */
function hundredHooks(rows) {
  const { bare, cadre } = gate(rows)
  return judge(
    'the longest pause of the loop while 100 calls ask a hook each',
    '≤ 0.5 × 100 processes by hand',
    ratio(cadre?.hundred?.longestPauseMs, bare?.hundred?.longestPauseMs),
    atMost(0.5),
    times,
  )
}

/** In CPU time, so that a busy machine does not matter. */
function mcpCall(rows) {
  const [bare, cadre] = ['bare', 'cadre'].map((kind) => findRow(rows, { kind, mode: 'mcp' }))
  return judge(
    'a call of an MCP tool',
    '≤ 1.5 × the bare library',
    ratio(cadre?.callUs, bare?.callUs),
    atMost(1.5),
    times,
  )
}

function exporting(rows) {
  const off = findRow(rows, { kind: 'command', mode: 'telemetry', n: 100 })
  const on = findRow(rows, { kind: 'exporting', mode: 'telemetry', n: 100 })
  return judge(
    'CPU of `cadre run` with telemetry against without, whole process, N=100',
    '≤ 1.05 ×',
    ratio(on?.processCpuMs, off?.processCpuMs),
    atMost(1.05),
    times,
  )
}

function gate(rows) {
  return {
    bare: findRow(rows, { kind: 'bare', mode: 'gate' }),
    cadre: findRow(rows, { kind: 'cadre', mode: 'gate' }),
  }
}

function fanout(rows, n) {
  return {
    bare: findRow(rows, { kind: 'bare', mode: 'fanout', n }),
    cadre: findRow(rows, { kind: 'cadre', mode: 'fanout', n }),
  }
}
