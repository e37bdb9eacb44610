import { createRestateKeeper, type RestateKeeper } from '@cadre/restate'
import { freePort } from '@cadre/testing'
import { onTestFinished } from 'vitest'
import type { RunningCadre } from '../../cli/support/cadre.ts'
import { createProject, type Project } from '../../cli/support/project.ts'
import { endWithUs } from './end-with-us.ts'

/** A project whose sessions run on workers, with the processes that people start: engine, worker and daemon. */
export interface EngineProject {
  readonly project: Project
  readonly keeper: RestateKeeper
  readonly admin: string
  /** `cadre engine start`. */
  readonly engine: RunningCadre
  /** `cadre engine start` again, on the same data and ports. */
  restartEngine(): Promise<RunningCadre>
  /** Starts a worker. A restarted worker has the same address. */
  startWorker(options?: StartWorkerOptions): Promise<RunningCadre>
  /** `trust`: with `--trust`. Otherwise the home must be known. Default: true. */
  startDaemon(env?: Readonly<Record<string, string>>, options?: { readonly trust?: boolean }): Promise<void>
}

export interface StartWorkerOptions {
  /** Another project, on what could be another machine. Default: the project itself. */
  readonly project?: Project
  /** Default: the same port each time. */
  readonly port?: number
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** Default: the model of the project. */
  readonly model?: string
}

export interface EngineProjectOptions {
  /** The address of a model server, which replaces `playbook.yaml`. */
  readonly modelUrl?: string
  /** Added to those of the engine. */
  readonly settings?: object
}

/** Starts the server for a new project with these files, or for an existing one. */
export async function openEngineProject(
  files: Readonly<Record<string, string | object>> | Project,
  { modelUrl, settings = {} }: EngineProjectOptions = {},
): Promise<EngineProject> {
  const model = ['--trust', '--model', modelUrl === undefined ? 'scripted:playbook.yaml' : 'openai:wire']
  const modelEnv: Record<string, string> = modelUrl === undefined ? {} : { OPENAI_BASE_URL: modelUrl }
  const project = isProject(files) ? files : createProject(files)
  const env = { CADRE_RESTATE_SERVER: process.env['CADRE_TEST_RESTATE'] ?? '' }
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()] as const
  const [port, adminPort, nodePort, workerPort] = ports.map(String)
  const flags = ['--port', port, '--admin-port', adminPort, '--node-port', nodePort] as string[]
  const startEngine = async () => {
    const started = project.start(['engine', 'start', '--json', '--trust', ...flags], { env })
    endWithUs(started.child, 'TERM')
    onTestFinished(async () => {
      started.child.kill('SIGTERM')
      await started.ended()
    })
    await started.until((stdout) => stdout.includes('engine.ready'))
    return started
  }
  const engine = await startEngine()
  const ready = JSON.parse(engine.stdout()) as {
    readonly admin: string
    readonly ingress: string
    readonly engine: { readonly place: string }
  }
  const config = '.cadre/config.yaml'
  const before = project.exists(config) ? project.read(config) : ''
  project.write(config, `${before}\nengine: ${JSON.stringify({ ...ready.engine, ...settings })}\n`)
  const keeper = createRestateKeeper({ ingress: ready.ingress, place: ready.engine.place })
  onTestFinished(() => keeper.close())
  return {
    project,
    keeper,
    admin: ready.admin,
    engine,
    restartEngine: startEngine,
    async startWorker({
      project: at = project,
      port: own = workerPort,
      env: variables = {},
      args = [],
      model: other,
    } = {}) {
      const flags = other === undefined ? model : ['--trust', '--model', other]
      const all = ['worker', '--json', '--port', String(own), ...flags, ...args]
      const worker = at.start(all, { env: { ...modelEnv, ...variables } })
      endWithUs(worker.child)
      await worker.until((stdout) => stdout.includes('worker.ready'))
      return worker
    },
    async startDaemon(variables = {}, { trust = true } = {}) {
      const flags = trust ? model : model.filter((flag) => flag !== '--trust')
      const started = await project.cadre(['up', '--engine', 'restate', '--detach', ...flags], {
        ownProcess: true,
        env: { ...modelEnv, ...variables },
      })
      if (started.code !== 0) throw new Error(`cadre up: ${started.stdout}${started.stderr}`)
      onTestFinished(async () => {
        await project.cadre(['down', '--trust'])
      })
    },
  }
}

function isProject(files: object): files is Project {
  return typeof (files as Partial<Project>).cadre === 'function'
}
