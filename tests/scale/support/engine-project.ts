import { createRestateKeeper, type RestateKeeper } from '@cadre/restate'
import { onTestFinished } from 'vitest'
import type { RunningCadre } from '../../cli/support/cadre.ts'
import { createProject, type Project } from '../../cli/support/project.ts'
import { freePort } from './restate-server.ts'

/** A project whose sessions run on workers, with the processes that people start: engine, worker and daemon. */
export interface EngineProject {
  readonly project: Project
  readonly keeper: RestateKeeper
  readonly admin: string
  /** Starts a worker. A restarted worker has the same address. */
  startWorker(): Promise<RunningCadre>
  startDaemon(): Promise<void>
}

const model = ['--trust', '--model', 'scripted:playbook.yaml']

export async function openEngineProject(
  files: Readonly<Record<string, string | object>>,
): Promise<EngineProject> {
  const project = createProject(files)
  const env = { CADRE_RESTATE_SERVER: process.env['CADRE_TEST_RESTATE'] ?? '' }
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()] as const
  const [port, adminPort, nodePort, workerPort] = ports.map(String)
  const flags = ['--port', port, '--admin-port', adminPort, '--node-port', nodePort] as string[]
  const engine = project.start(['engine', 'start', '--json', '--trust', ...flags], { env })
  onTestFinished(async () => {
    engine.child.kill('SIGTERM')
    await engine.ended()
  })
  await engine.until((stdout) => stdout.includes('engine.ready'))
  const ready = JSON.parse(engine.stdout()) as {
    readonly admin: string
    readonly ingress: string
    readonly engine: { readonly place: string }
  }
  project.write('.cadre/config.yaml', { engine: ready.engine })
  const keeper = createRestateKeeper({ ingress: ready.ingress, place: ready.engine.place })
  onTestFinished(() => keeper.close())
  return {
    project,
    keeper,
    admin: ready.admin,
    async startWorker() {
      const worker = project.start(['worker', '--json', '--port', workerPort as string, ...model])
      await worker.until((stdout) => stdout.includes('worker.ready'))
      return worker
    },
    async startDaemon() {
      const started = await project.cadre(['up', '--engine', 'restate', '--detach', ...model], {
        ownProcess: true,
      })
      if (started.code !== 0) throw new Error(`cadre up: ${started.stdout}${started.stderr}`)
      onTestFinished(async () => {
        await project.cadre(['down', '--trust'])
      })
    },
  }
}
