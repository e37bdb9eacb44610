import type { StoredSession } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import {
  createRestateKeeper,
  type RestateKeeper,
  registerWorker,
  serveWorker,
  type TreeResult,
  type Worker,
  type WorkerLimits,
  type WorkerParts,
} from '@cadre/restate'
import { endStoredSession } from '@cadre/runtime'
import { createTestTeam, type TestTeam, type TestTeamOptions } from '@cadre/testing'
import { onTestFinished } from 'vitest'

export type ScaleWorkerOptions = Omit<TestTeamOptions, 'engine'> & {
  readonly place: string
  /** For a worker that comes back to its address. */
  readonly port?: number
  readonly worker?: Partial<WorkerLimits>
  readonly parts?: Partial<WorkerParts>
}

export interface ScaleWorker {
  readonly worker: Worker
  readonly team: TestTeam
  readonly keeper: RestateKeeper
}

let count = 0

export const ingress = (): string => process.env['CADRE_TEST_RESTATE_INGRESS'] as string
export const admin = (): string => process.env['CADRE_TEST_RESTATE_ADMIN'] as string

/** A place that no other test uses. */
export function newPlace(): string {
  return `scale-${process.pid}-${++count}`
}

/** A worker in this process, with a scripted team, and a keeper that sends orders to it through the server. */
export async function startScaleWorker(options: ScaleWorkerOptions): Promise<ScaleWorker> {
  const { place, port = 0, clock = systemClock, worker: limits, parts, ...teamOptions } = options
  let team: TestTeam | undefined
  const worker = await serveWorker({
    ingress: ingress(),
    place,
    port,
    ...(limits && { limits }),
    parts: {
      createOrchestrator(engine) {
        team = createTestTeam({ ...teamOptions, engine, clock })
        return team.orchestrator
      },
      endSession: endStoredSession,
      clock,
      ...parts,
    },
  })
  await registerWorker({ admin: admin(), url: worker.url, place })
  const keeper = createRestateKeeper({ ingress: ingress(), place, pollInterval: 20 })
  onTestFinished(async () => {
    keeper.close()
    await worker.close()
  })
  return { worker, team: team as TestTeam, keeper }
}

/** Calls `order` and resolves with the result of the tree's next rest. */
export async function restAfter(keeper: RestateKeeper, order: () => Promise<unknown>): Promise<TreeResult> {
  const rested = new Promise<TreeResult>((resolve) => {
    const stop = keeper.onRest((_root, result) => {
      stop()
      resolve(result)
    })
  })
  await order()
  return rested
}

/** Resolves when it is so. The tests' time limit ends a wait that never does. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** The messages of a session that a person wrote. */
export function toldBy(stored: StoredSession | undefined): string[] {
  return (stored?.entries ?? []).flatMap((entry) => (entry.role === 'user' ? [entry.content] : []))
}
