import { setTimeout as pause } from 'node:timers/promises'
import { describeProgress } from './describe-progress.ts'
import type { HostCall } from './host-tool.ts'
import type { KnownRun } from './run-state.ts'
import { runText } from './run-text.ts'

/** The longest time that one call waits, in seconds: shorter than the limits of all known hosts. */
export const maxWait = 25

const checkEvery = 250
const reportEvery = 1000

export interface WaitOptions {
  readonly seconds: number
  /** Returns true if the caller need not wait for more. */
  readonly isEnough?: (run: KnownRun) => boolean
}

/**
 * Follows a run until it ends, needs a person, or the time is up, and resumes it if no process runs it. Reports progress when an agent
 * does something else, and every second, so that hosts do not give up. Aborting the call does not affect the run.
 */
export async function waitFor(
  id: string,
  { seconds, isEnough = () => false }: WaitOptions,
  call: HostCall,
): Promise<KnownRun> {
  const { delegatedRuns, signal } = call
  const until = performance.now() + seconds * 1000
  let reported = { at: performance.now(), line: '' }
  for (;;) {
    const run = await delegatedRuns.read(id)
    const { kind } = run.state
    // The caller no longer waits for it.
    if (signal.aborted) return run
    if (kind === 'idle' || kind === 'failed') await delegatedRuns.resume(id)
    const isOver = kind === 'ended' || kind === 'waiting' || (kind === 'failed' && run.stored === undefined)
    if (isOver || isEnough(run)) return run
    // Read again: it may have been resumed just now.
    if (performance.now() >= until) return kind === 'idle' ? delegatedRuns.read(id) : run
    const line = await progressLine(run, call)
    if (line !== reported.line || performance.now() - reported.at >= reportEvery) {
      reported = { at: performance.now(), line }
      await call.progress(line)
    }
    await pause(Math.min(checkEvery, Math.max(1, until - performance.now())), undefined, { signal }).catch(
      () => {},
    )
  }
}

/** The answer about a run: its state, and the next call. */
export async function describeRun(
  run: KnownRun,
  { delegatedRuns, permissions, client }: HostCall,
): Promise<string> {
  const { sessions } = delegatedRuns
  const { stored, state } = run
  const news =
    stored !== undefined && state.kind === 'running' ? await progressLineOf(stored, delegatedRuns) : undefined
  return runText(run, {
    file: sessions.fileOf(run.id),
    mayDecide: permissions.decide && run.delegatedRun !== undefined,
    asksUser: permissions.ask && client.elicits && run.delegatedRun !== undefined,
    ...(news !== undefined && { news }),
  })
}

async function progressLine({ id, stored, state }: KnownRun, { delegatedRuns }: HostCall): Promise<string> {
  if (stored === undefined || state.kind !== 'running') return `${id} is starting`
  return progressLineOf(stored, delegatedRuns)
}

function progressLineOf(stored: NonNullable<KnownRun['stored']>, { sessions }: HostCall['delegatedRuns']) {
  return describeProgress(stored, (child) => sessions.engine.read(child))
}
