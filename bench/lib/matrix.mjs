import fs from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from './run-program.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs every cell with every program, `reps` times. Programs alternate within each repetition, each time in another order,
 * so that a temporarily busy machine affects all of them equally.
 */
export async function runMatrix({ cells, programs, reps, fake, tmp, say }) {
  const { pairs, skipped } = pairUp(cells, programs)
  for (const line of skipped) say(line)
  await warmUp({ programs, fake, tmp })
  const runs = []
  const total = pairs.length * reps
  for (let rep = 1; rep <= reps; rep++) {
    for (const { cell, program } of rotate(pairs, rep - 1)) {
      const folder = freshFolder(tmp)
      const result = await runProgram({ program, cell, fake, tmp: folder })
      runs.push({ program: program.name, kind: program.kind, ...cell, rep, ...result })
      say(`[${runs.length}/${total}] ${describe(cell)} ${program.name}: ${outcome(cell, result)}`)
    }
  }
  return { runs, skipped }
}

function pairUp(cells, programs) {
  const pairs = []
  const skipped = new Set()
  for (const cell of cells) {
    for (const program of programs) {
      const file = program.argv(cell)?.[0]
      if (!file) continue
      if (fs.existsSync(file)) pairs.push({ cell, program })
      else
        skipped.add(`skipped: ${program.name} ${cell.mode}, because ${relative(root, file)} does not exist`)
    }
  }
  return { pairs, skipped: [...skipped] }
}

/** The server is slow until its code is compiled; without this, the first program of the first repetition would pay. */
async function warmUp({ programs, fake, tmp }) {
  const program = programs.find(({ kind }) => kind === 'bare')
  const cell = { mode: 'fanout', n: 200, k: 5, latency: 0 }
  for (let i = 0; i < 3; i++) await runProgram({ program, cell, fake, tmp: freshFolder(tmp) })
}

/** Keeps the order of cells and rotates the programs within each cell. */
function rotate(pairs, by) {
  return [...new Set(pairs.map(({ cell }) => cell))].flatMap((cell) => {
    const group = pairs.filter((pair) => pair.cell === cell)
    const at = by % group.length
    return [...group.slice(at), ...group.slice(0, at)]
  })
}

function freshFolder(tmp) {
  return fs.mkdtempSync(join(tmp, 'run-'))
}

function describe({ mode, n, k }) {
  return ['fanout', 'crowd', 'tasks', 'copilot', 'telemetry'].includes(mode)
    ? `${mode} N=${n}`
    : `${mode} K=${k}`
}

function outcome({ mode }, { error, line }) {
  if (error) return `failed: ${error.split('\n', 1)[0]}`
  const ms = mode === 'cold' ? line.firstRequestMs : (line.wallMs ?? line.resumeMs)
  return Number.isFinite(ms) ? `${Math.round(ms)} ms` : 'done'
}
