import { setTimeout as pause } from 'node:timers/promises'
import type { HostCall } from './host-tool.ts'
import { newsOf } from './news-of.ts'
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
 * Follows a run until it ends, needs a person, or the time is up, and resumes it if no process runs it. Reports progress every second, so
 * that hosts do not give up. Aborting the call does not affect the run.
 */
export async function waitFor(
  id: string,
  { seconds, isEnough = () => false }: WaitOptions,
  call: HostCall,
): Promise<KnownRun> {
  const { delegations, signal } = call
  const until = performance.now() + seconds * 1000
  let reported = performance.now()
  for (;;) {
    const run = await delegations.read(id)
    const { kind } = run.state
    // The caller no longer waits for it.
    if (signal.aborted) return run
    if (kind === 'idle' || kind === 'failed') await delegations.resume(id)
    const isOver = kind === 'ended' || kind === 'waiting' || (kind === 'failed' && run.stored === undefined)
    if (isOver || isEnough(run)) return run
    // Read again: it may have been resumed just now.
    if (performance.now() >= until) return kind === 'idle' ? delegations.read(id) : run
    if (performance.now() - reported >= reportEvery) {
      reported = performance.now()
      await call.progress(await newsLine(run, call))
    }
    await pause(Math.min(checkEvery, Math.max(1, until - performance.now())), undefined, { signal }).catch(
      () => {},
    )
  }
}

/** The answer about a run: its state, and the next call. */
export async function describeRun(
  run: KnownRun,
  { delegations, permissions, client }: HostCall,
): Promise<string> {
  const { sessions } = delegations
  const { stored, state } = run
  const news =
    stored !== undefined && state.kind === 'running' ? await newsLineOf(stored, delegations) : undefined
  return runText(run, {
    file: sessions.fileOf(run.id),
    mayDecide: permissions.decide && run.delegation !== undefined,
    asksUser: permissions.ask && client.elicits && run.delegation !== undefined,
    ...(news !== undefined && { news }),
  })
}

async function newsLine({ id, stored, state }: KnownRun, { delegations }: HostCall): Promise<string> {
  if (stored === undefined || state.kind !== 'running') return `${id} is starting`
  return newsLineOf(stored, delegations)
}

function newsLineOf(stored: NonNullable<KnownRun['stored']>, { sessions }: HostCall['delegations']) {
  return newsOf(stored, (child) => sessions.engine.read(child))
}
