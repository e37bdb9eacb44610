import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { now } from './clock.mjs'
import { makeHome, makeSessions } from './home-files.mjs'
import { startListeningModel } from './listening-model.mjs'
import { costOf, isBusy, isGone, rssMb } from './process-cost.mjs'

/** How long a file must be quiet before a program reads it: the daemon's default. It is subtracted. */
export const settleMs = 50

/** This many sessions are written to in turn, so that none of them grows long. */
const sessionsInRotation = 10
/** Long enough that everything is scanned once, in the largest home. */
const idleMs = (n) => (n >= 10_000 ? 32_000 : 5_000)

/**
 * The time from a saved file to the first model request, `k` times for an entry added to a session file and `k` times for a
 * task added to a task file. `start(place, model)` returns `{ child, ready, isDone(kind, before) }`.
 */
export async function runWake({ tmp, k, start }) {
  const model = await startListeningModel()
  const place = makeHome(tmp, model.base)
  const ids = await makeSessions(place, sessionsInRotation)
  fs.writeFileSync(place.taskFile, '## TODO\n\n')
  const program = await startProgram(start, place, model)
  const session = await sample(k, (i) => wakeSession({ place, model, program, id: ids[i % ids.length], i }))
  const task = await sample(k, (i) => wakeTask({ place, model, program, i }))
  await stop(program)
  return { session, task }
}

/** A home of `n` sessions: two starts, memory, idle cost, and the cost of one more change. */
export async function runCrowd({ tmp, n, k, start }) {
  // The question that the suspended sessions wait for.
  const asks = { delegate: 'write_file', delegateArgs: '{"path":"a.txt","content":"x"}' }
  const model = await startListeningModel(asks)
  const place = makeHome(tmp, model.base)
  const ids = await makeSessions(place, n)
  const first = await startProgram(start, place, model)
  await waitUntilIdle(first)
  const rss = rssMb(first.child.pid)
  const before = costOf(first.child.pid)
  await pause(idleMs(n))
  const idleCpuPercent = (costOf(first.child.pid) - before) / (idleMs(n) / 100)
  const calm = costOf(first.child.pid)
  const wake = await sample(k, (i) =>
    wakeSession({ place, model, program: first, id: ids[i % sessionsInRotation], i }),
  )
  const wakeCpuMs = (costOf(first.child.pid) - calm) / k
  await stop(first)
  const second = await startProgram(start, place, model)
  await stop(second)
  const { startMs, startCpuMs } = first
  return { startMs, startCpuMs, againMs: second.startMs, rssMb: rss, idleCpuPercent, wake, wakeCpuMs }
}

async function startProgram(start, place, model) {
  const startedAt = now()
  const program = start(place, model)
  const said = []
  program.child.stderr.on('data', (chunk) => said.push(chunk))
  const ended = new Promise((_, reject) => {
    program.child.once('exit', (code) =>
      reject(new Error(`it ended with code ${code}: ${Buffer.concat(said)}`)),
    )
  })
  await Promise.race([program.ready, ended])
  ended.catch(() => {})
  return { ...program, startMs: now() - startedAt, startCpuMs: costOf(program.child.pid) }
}

async function stop({ child }) {
  child.kill('SIGTERM')
  while (!isGone(child)) await pause(10)
}

async function wakeSession({ place, model, program, id, i }) {
  const file = place.session(id)
  const before = fs.readFileSync(file, 'utf8')
  const arrived = model.next()
  fs.appendFileSync(file, `  - role: user\n    content: Say ok ${i}\n`)
  const savedAt = now()
  const ms = (await arrived) - savedAt
  while (!program.isDone('session', file, before)) await pause(5)
  return ms
}

async function wakeTask({ place, model, program, i }) {
  const arrived = model.next()
  fs.appendFileSync(place.taskFile, `- [ ] A @worker "Say ok ${i}"\n`)
  const savedAt = now()
  const ms = (await arrived) - savedAt
  while (!program.isDone('task', place.taskFile)) await pause(5)
  return ms
}

/** The time beyond settling: half of the samples are below `p50`, all but one of a hundred below `p99`. */
async function sample(k, take) {
  const values = []
  for (let i = 0; i < k; i++) {
    // Random pauses, so that saves are not in step with a program's timers.
    await pause(20 + Math.random() * 80)
    values.push((await take(i)) - settleMs)
  }
  values.sort((a, b) => a - b)
  const at = (part) => values[Math.min(values.length - 1, Math.ceil(values.length * part) - 1)]
  return { p50Ms: at(0.5), p99Ms: at(0.99), mostMs: values.at(-1), samples: k }
}

/** Waits until its background work after the start is done. */
async function waitUntilIdle({ child }) {
  for (let calm = 0; calm < 20; ) {
    const before = costOf(child.pid)
    await pause(100)
    calm = isBusy(child.pid) || costOf(child.pid) - before > 20 ? 0 : calm + 1
  }
}
