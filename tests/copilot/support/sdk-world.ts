import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createModels, type ModelsConfig } from '@cadre/backends'
import {
  type CadreEvent,
  type Clock,
  createOrchestrator,
  type Model,
  type Models,
  type Orchestrator,
  type Ports,
  type Report,
  type RunLimits,
  type Tool,
} from '@cadre/core'
import {
  agentsOf,
  countingIds,
  defineAgent,
  startWire,
  type Wire,
  type WireAnswer,
  type WireRequest,
} from '@cadre/testing'
import { onTestFinished } from 'vitest'
import { countingTools, type Effects } from '../../engine/tools.ts'
import { fileWorld } from '../../engine/worlds.ts'

export const apiKey = 'secret-key-of-the-model-server'

/** A request of the Copilot runtime to the model server. */
export interface Asked {
  /** The agent, identified by its prompt. */
  readonly agent: string
  readonly messages: readonly AskedMessage[]
  readonly tools: readonly string[]
  /** The number of model replies in this conversation. */
  readonly step: number
  readonly request: WireRequest
}

export interface AskedMessage {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[]
  readonly tool_call_id?: string
}

export interface SdkWorld {
  readonly wire: Wire
  readonly models: Models
  readonly orchestrator: Orchestrator
  readonly effects: Effects
  readonly events: CadreEvent[]
  readonly folder: string
  /** The home of the user. */
  readonly home: string
  /** The requests to the model server, in order. */
  readonly asked: readonly Asked[]
  report(agent?: string, work?: string, signal?: AbortSignal): Promise<Report>
  /** Every session file, as text. */
  journals(): string
  /** The living processes of the Copilot runtime that this world started. */
  runtimes(): number[]
  /** Files in the home that contain this text. */
  filesWith(text: string): string[]
  /** Another process that sends one request to the same model server through its own runtime. */
  startElsewhere(): ChildProcess
  answer: ReturnType<typeof fileWorld>['answer']
}

export interface SdkWorldOptions {
  readonly config?: ModelsConfig
  readonly clock?: Clock
  readonly tools?: (effects: Effects) => readonly Tool[]
  readonly rules?: Ports['rules']
  readonly limits?: Partial<RunLimits>
  readonly agents?: Parameters<typeof defineAgent>[0][]
  readonly env?: (url: string) => Record<string, string>
  /** The model server's list of models. Default: one model, `m`. */
  readonly listing?: WireAnswer
  readonly model?: string
}

/** The real Copilot runtime, a model server on loopback, and session files in a new folder. */
export async function sdkWorld(
  script: (asked: Asked) => WireAnswer | Promise<WireAnswer>,
  options: SdkWorldOptions = {},
): Promise<SdkWorld> {
  const asked: Asked[] = []
  const wire = await startWire(
    (request) => {
      const one = readRequest(request)
      asked.push(one)
      return script(one)
    },
    { models: options.listing ?? ['m'] },
  )
  const sessions = fileWorld()
  const home = mkdtempSync(path.join(tmpdir(), 'cadre-copilot-home-'))
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    CADRE_COPILOT_SDK: sdkFolder(),
    OPENAI_BASE_URL: wire.url,
    OPENAI_API_KEY: apiKey,
    ...options.env?.(wire.url),
  }
  const models = createModels({
    model: options.model ?? 'copilot-sdk:m',
    config: { copilot: { offline: true }, ...options.config },
    env,
    ...(options.clock && { clock: options.clock }),
  })
  const effects = countingTools()
  const events: CadreEvent[] = []
  const engine = await sessions.open()
  const agents = options.agents ?? [{ name: 'lead' }, { name: 'worker' }]
  const orchestrator = createOrchestrator(
    {
      engine,
      models,
      agents: agentsOf(agents.map(defineAgent)),
      tools: options.tools?.(effects) ?? effects.tools,
      clock: sessions.clock,
      ids: countingIds(),
      emit: (event) => events.push(event),
      ...(options.rules && { rules: options.rules }),
    },
    { ...(options.limits && { limits: options.limits }) },
  )
  const runtimes = () => runtimesOf(home)
  onTestFinished(async () => {
    for (const pid of runtimes()) process.kill(pid, 'SIGKILL')
    await wire.close()
    await sessions.dispose()
    rmSync(home, { recursive: true, force: true })
  })
  return {
    wire,
    models,
    orchestrator,
    effects,
    events,
    folder: sessions.folder,
    home,
    asked,
    async report(agent = 'lead', work = 'do it', signal = new AbortController().signal) {
      const result = await orchestrator.start({ agent, work, workspace: sessions.folder }, signal)
      if (result.kind === 'waiting') throw new Error(`waits: ${JSON.stringify(result.questions)}`)
      return result.report
    },
    journals() {
      const folder = path.join(sessions.folder, 'sessions')
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.yaml'))
        .map((name) => readFileSync(path.join(folder, name), 'utf8'))
        .join('\n')
    },
    runtimes,
    filesWith: (text) =>
      readdirSync(home, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        .filter((file) => readFileSync(file).includes(text)),
    startElsewhere() {
      const child = spawn(process.execPath, [path.join(import.meta.dirname, 'ask-elsewhere.mjs')], {
        env,
        stdio: 'inherit',
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    },
    answer: sessions.answer,
  }
}

/** The SDK that `npm run test:copilot` installed. */
export function sdkFolder(): string {
  const folder = process.env['CADRE_TEST_COPILOT']
  if (folder === undefined)
    throw new Error('Run these tests with `npm run test:copilot`, which installs what they need.')
  return path.join(folder, 'node_modules', '@github', 'copilot-sdk')
}

/** Identified by the folder of each process. */
export function runtimesOf(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(`COPILOT_HOME=${home}/`))
    .map(Number)
}

function environmentOf(pid: string): string {
  try {
    return existsSync(`/proc/${pid}/exe`) ? readFileSync(`/proc/${pid}/environ`, 'utf8') : ''
  } catch {
    return ''
  }
}

function readRequest(request: WireRequest): Asked {
  const body = request.body as {
    messages: AskedMessage[]
    tools?: { function: { name: string } }[]
  }
  const system = body.messages.find(({ role }) => role === 'system')?.content ?? ''
  return {
    agent: /You are ([\w-]+)\./.exec(String(system))?.[1] ?? '',
    messages: body.messages,
    tools: (body.tools ?? []).map((tool) => tool.function.name),
    step: body.messages.filter(({ role }) => role === 'assistant').length,
    request,
  }
}

/** The results of calls that the model received, by id. */
export function resultsIn(asked: Pick<Asked, 'messages'> | undefined): Record<string, string | null> {
  const results = asked?.messages.filter(({ role }) => role === 'tool') ?? []
  return Object.fromEntries(results.map((result) => [result.tool_call_id ?? '', result.content]))
}

/** The default model of a world. */
export async function modelOf(world: SdkWorld): Promise<Model> {
  const found = await world.models.resolve(undefined)
  if (found.kind === 'unknown') throw new Error(found.reason)
  return found.model
}
