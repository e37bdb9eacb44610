import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAgents } from '@cadre/agents'
import type { DaemonEvent } from '@cadre/channels'
import {
  type AgentDefinition,
  type CadreEvent,
  type Clock,
  createOrchestrator,
  defineTool,
  type Effect,
  object,
  type Ports,
  type SessionSpec,
  type Tool,
} from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { type Approvals, askEverywhere, createApprovals, followApprovals, openAuditLog } from '@cadre/gate'
import { type DaemonConfig, type Home, openHome, sessionIds } from '@cadre/home'
import { createFileEngine, type FileEngine } from '@cadre/journal'
import { type Line, type ScriptedModels, scriptedModels } from '@cadre/testing'
import { onTestFinished } from 'vitest'
import { createDaemon } from './create-daemon.ts'
import type { Daemon, DaemonOptions } from './daemon.ts'
import type { DaemonRuntime } from './daemon-runtime.ts'

/** Creates a home in a temporary folder, with a workspace beside it. */
export function temporaryHome(): { readonly home: Home; readonly workspace: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-server-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const workspace = path.join(folder, 'work')
  mkdirSync(workspace)
  const home = openHome({ home: path.join(folder, 'home'), cwd: '/', env: {} })
  home.folder('templates')
  return { home, workspace }
}

/** Writes a template file. */
export function template(home: Home, name: string, more = ''): void {
  home.folder('templates')
  writeFileSync(
    home.at('templates', `${name}.agent.yaml`),
    `id: ${name}\ntype: ${name.split('-')[0]}\nsystem_prompt: You are ${name}.\n${more}`,
  )
}

export interface TestDaemonOptions extends Partial<DaemonOptions> {
  readonly lanes?: Readonly<Record<string, readonly Line[]>>
  readonly model?: Parameters<typeof scriptedModels>[1]
  readonly tools?: readonly Tool[]
  readonly rules?: Ports['rules']
  readonly onLifecycleEvent?: Ports['onLifecycleEvent']
  readonly requireApprovals?: Ports['requireApprovals']
  /** Called before a session is opened. May throw, to simulate a full disk. */
  readonly opening?: (spec: SessionSpec) => void
  readonly settings?: DaemonConfig
  readonly clock?: Clock
  readonly extraAgents?: readonly AgentDefinition[]
  readonly trusted?: boolean
}

export interface TestDaemon extends Daemon {
  readonly happenings: DaemonEvent[]
  readonly events: CadreEvent[]
  readonly told: string[]
  readonly models: ScriptedModels
  engine(): FileEngine
  approvals(): Approvals
}

/** A daemon on a real home, with the real engine and a scripted model. Stopped at the end of the test. */
export function testDaemon(home: Home, workspace: string, options: TestDaemonOptions = {}): TestDaemon {
  const happenings: DaemonEvent[] = []
  const events: CadreEvent[] = []
  const told: string[] = []
  const models = scriptedModels(options.lanes ?? {}, options.model)
  let runtime: DaemonRuntime | undefined
  const clock = options.clock ?? systemClock
  const daemon = createDaemon({
    home,
    scanMs: 1000,
    happened: (happening) => happenings.push(happening),
    tell: (message) => told.push(message),
    emit: (event) => events.push(event),
    async open(outside) {
      const inner: FileEngine = await createFileEngine({
        home,
        clock,
        diagnostics: ({ message }) => outside.tell(message),
        shouldRetry: outside.shouldRetry,
        answer: (session, question, signal) =>
          askEverywhere(approvals, { session, question, ask: undefined }, signal),
      })
      const approvals = createApprovals({
        home,
        engine: inner,
        clock,
        user: 'tester',
        tell: outside.tell,
        taken: () => {},
      })
      const following = followApprovals(inner, approvals, { home, tell: outside.tell })
      const engine: FileEngine = {
        ...following,
        async open(spec) {
          options.opening?.(spec)
          return following.open(spec)
        },
      }
      const registry = createAgents({ home: home.path })
      runtime = {
        home,
        workspace,
        clock,
        engine,
        approvals,
        audit: openAuditLog({ home, tell: (message) => outside.auditFailed(message), environment: {} }),
        ...(options.trusted !== undefined && { trusted: options.trusted }),
        stamp: () => configuration(home),
        async load() {
          const text = configuration(home)
          if (text.includes('broken')) throw new Error('config.yaml:1: this cannot be read')
          return {
            agents: registry,
            registry,
            models,
            settings: { settle_ms: 20, ...options.settings },
            channels: {},
            notices: [],
            begin: () =>
              createOrchestrator({
                engine,
                models,
                agents: registry,
                tools: options.tools ?? [],
                ...(options.rules && { rules: options.rules }),
                ...(options.onLifecycleEvent && { onLifecycleEvent: options.onLifecycleEvent }),
                ...(options.requireApprovals && { requireApprovals: options.requireApprovals }),
                clock,
                ids: sessionIds,
                emit: outside.emit,
              }),
          }
        },
      }
      return runtime
    },
    ...options,
  })
  onTestFinished(() => daemon.stop())
  const running = () => {
    if (runtime === undefined) throw new Error('it has not been started')
    return runtime
  }
  return {
    ...daemon,
    happenings,
    events,
    told,
    models,
    engine: () => running().engine,
    approvals: () => running().approvals,
  }
}

function configuration(home: Home): string {
  try {
    return readFileSync(home.at('config.yaml'), 'utf8')
  } catch {
    return ''
  }
}

/** Waits until a condition is true, however busy the machine is. */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const end = Date.now() + 55_000
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (Date.now() > end) throw new Error(`it did not come true: ${look}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export function sessionText(home: Home, id: string): string {
  try {
    return readFileSync(home.at('sessions', `${id}.session.yaml`), 'utf8')
  } catch {
    return ''
  }
}

/** Appends a person's message to a session file. */
export function writeEntry(home: Home, id: string, content: string): void {
  appendFileSync(home.at('sessions', `${id}.session.yaml`), `  - role: user\n    content: ${content}\n`)
}

/** A tool that does not return before it is released. */
export function holdTool(effect: Effect = 'read'): {
  readonly tool: Tool
  waiting(): number
  peak(): number
  letGo(): void
} {
  let held: (() => void)[] = []
  let peak = 0
  const tool = defineTool({
    name: 'hold',
    description: 'Waits',
    class: 'read',
    effect,
    input: object({}),
    async run(_input, _context, signal) {
      await new Promise<void>((resolve) => {
        held.push(resolve)
        peak = Math.max(peak, held.length)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      return { content: 'held' }
    },
  })
  return {
    tool: tool as unknown as Tool,
    waiting: () => held.length,
    peak: () => peak,
    letGo() {
      const all = held
      held = []
      for (const resolve of all) resolve()
    },
  }
}
