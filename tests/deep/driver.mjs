/**
 * Runs inside the sandbox: runs each line of a batch of allowed lines twice, by the plan runner and by bash, in identical
 * workspaces. Reads `{ root, kind, isTraced, place, lines }` from standard input and writes one JSON object per line to
 * standard output.
 *
 * 1. Every line starts with the same files: changes of the previous one are undone.
 * 2. No line takes longer than `timeoutMs`; everything it has started is killed.
 * 3. Both sides have the same environment, the same empty standard input, and files for their output.
 */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import { Runner, Scratch } from '../runner/run-plan.mjs'
import { isSame } from './compare.mjs'
import {
  createWorkspace,
  hostileGitConfig,
  resetCanaries,
  Snapshot,
  token,
  touchedCanaries,
} from './workspace.mjs'

const timeoutMs = 10_000
const maxOutput = 200_000
const attempts = 3
const maxProcesses = 64

const { root, kind, isTraced, place, lines } = JSON.parse(fs.readFileSync(0, 'utf8'))
const workspace = createWorkspace(root, kind)
fs.mkdirSync('/tmp/home')
const files = new Snapshot(workspace)
const temporary = new Snapshot('/tmp')
const nothing = fs.openSync('/dev/null', 'r')
const ownProcesses = new Set(processes())
const source = `${fs.readFileSync(`${place}/runner/run-plan.mjs`, 'utf8')}\nawait runFromInput()\n`

// A line that keeps starting processes must not affect the machine.
setInterval(() => {
  if (processes().length > maxProcesses) endOthers()
}, 100).unref()

for (const [at, line] of lines.entries()) {
  if (isTraced) spawnSync('/bin/true', [`mark-${at}`])
  const result = await compare(line)
  process.stdout.write(`${JSON.stringify({ at, ...result })}\n`)
}
if (isTraced) spawnSync('/bin/true', ['mark-end'])

async function compare(line) {
  let plan = await run(line, runPlan(line.job))
  const first = { changes: plan.changes, canaries: plan.canaries, isTimedOut: plan.isTimedOut }
  if (isTraced) spawnSync('/bin/true', ['mark-bash'])
  if (line.isAlone) return { kind: 'alone', ...first, plan: brief(plan) }
  if (line.isWhole) {
    const whole = await run(line, runWhole(line.job))
    if (isSame(plan, whole, line.traits) === 'different')
      return { kind: 'different', ...first, plan: brief(plan), bash: brief(whole), isWhole: true }
  }
  let bash
  for (let attempt = 1; attempt <= attempts; attempt++) {
    bash = await run(line, runBash(line))
    const answer = isSame(plan, bash, line.traits)
    if (answer !== 'different') return { kind: attempt > 1 ? 'race' : answer, ...first, code: plan.code }
    if (plan.isTimedOut && bash.isTimedOut) return { kind: 'stopped', ...first }
    if (isRefused(plan)) return { kind: 'refused', ...first }
    if (attempt < attempts) plan = await run(line, runPlan(line.job))
  }
  const kind = line.traits.isRacy ? 'race' : 'different'
  return { kind, ...first, plan: brief(plan), bash: brief(bash) }
}

/** Unlike bash, the runner follows no pattern and no `cd` through a link to another place. */
function isRefused({ out, err, changes }) {
  const texts = [out, err, ...changes.map(({ content = '' }) => content)]
  return texts.some((text) =>
    /^cadre: .*(?:goes through a symbolic link|is outside the workspace)$/m.test(text),
  )
}

/** Returns the output and changes of one run; the files are restored afterwards. */
async function run({ isHostile }, start) {
  if (isHostile) fs.writeFileSync(`${workspace}/.git/config`, hostileGitConfig)
  const output = fs.openSync('/run/oracle-out', 'w+')
  const errors = fs.openSync('/run/oracle-err', 'w+')
  let timer
  let isTimedOut = false
  const late = new Promise((resolve) => {
    timer = setTimeout(() => {
      isTimedOut = true
      endOthers()
      resolve(null)
    }, timeoutMs)
  })
  const code = await Promise.race([start(output, errors), late])
  clearTimeout(timer)
  const [out, err] = [contentOf(output), contentOf(errors)]
  fs.closeSync(output)
  fs.closeSync(errors)
  const changes = [
    ...files.restore().filter(({ name }) => !(isHostile && name === '.git/config')),
    ...temporary.restore().map((change) => ({ ...change, name: `/tmp/${change.name}` })),
  ]
  const canaries = touchedCanaries(root)
  if (canaries.length > 0) resetCanaries(root)
  if (`${out}${err}`.includes(token) || changes.some(({ content }) => content?.includes(token)))
    canaries.push('its text')
  return { code, out, err, changes, canaries, isTimedOut }
}

/** By the plan runner's code, in this process. */
function runPlan(job) {
  return async (output, errors) => {
    const scratch = new Scratch()
    try {
      return await new Runner(job, scratch).list(job.list, [nothing, output, errors])
    } catch (error) {
      return `threw ${error.stack}`
    } finally {
      scratch.remove()
    }
  }
}

/** By the runner as Cadre starts it: a separate process, with the plan on its standard input. */
function runWhole(job) {
  const { environment, cwd } = job
  return (output, errors) =>
    ended(
      spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', source], {
        cwd,
        env: environment,
        stdio: ['pipe', output, errors],
      }),
      JSON.stringify(job),
    )
}

function runBash({ text, job }) {
  const { environment, cwd } = job
  return (output, errors) =>
    ended(
      spawn('/bin/bash', ['--norc', '--noprofile', '-c', '--', text], {
        cwd,
        env: environment,
        stdio: [nothing, output, errors],
      }),
    )
}

function ended(child, input) {
  return new Promise((resolve) => {
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
    child.on('error', (error) => resolve(`threw ${error.message}`))
    child.on('exit', (code, signal) => resolve(code ?? 128 + (os.constants.signals[signal] ?? 0)))
  })
}

function contentOf(fd) {
  const bytes = Buffer.alloc(Math.min(fs.fstatSync(fd).size, maxOutput))
  fs.readSync(fd, bytes, 0, bytes.length, 0)
  return bytes.toString('latin1')
}

function brief({ code, out, err, changes }) {
  return {
    code,
    out: out.slice(0, 600),
    err: err.slice(0, 300),
    changes: changes.map((change) => ({ ...change, content: change.content?.slice(0, 200) })),
  }
}

function processes() {
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
}

/** Kills everything in this sandbox that was started after this process was ready. */
function endOthers() {
  for (const name of processes()) {
    if (ownProcesses.has(name)) continue
    try {
      process.kill(Number(name), 'SIGKILL')
    } catch {
      // It has already exited.
    }
  }
}
