// One worker process of the kill suite. It ends with its parent.
import { systemClock } from '@cadre/disk'
import { serveWorker } from '@cadre/restate'
import { endStoredSession } from '@cadre/runtime'
import { serveControl } from './control.ts'
import { createKillTeam } from './kill-team.ts'

export interface WorkerConfig {
  readonly ingress: string
  readonly place: string
  readonly port: number
  readonly controlPort: number
  readonly effects: string
  readonly latency: number
  readonly fresh: number
}

const config = JSON.parse(process.argv[2] as string) as WorkerConfig
const { ingress, place, port, controlPort, effects, latency, fresh } = config
process.on('disconnect', () => process.exit())
await serveControl({ name: `control-${place}`, port: controlPort, effects: `${effects}.control`, latency })
await serveWorker({
  ingress,
  place,
  port,
  limits: { fresh, rollOver: 20_000 },
  parts: {
    createOrchestrator: (engine) =>
      createKillTeam({ engine, effects, latency, process: `${process.pid}-${Date.now().toString(36)}` }),
    endSession: endStoredSession,
    clock: systemClock,
  },
})
process.send?.('ready')
