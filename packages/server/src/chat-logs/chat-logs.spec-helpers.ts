import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Happening, Problem } from '@cadre/channels'
import {
  type AgentDefinition,
  createOrchestrator,
  type Ports,
  type RunResult,
  type StoredSession,
  type Tool,
} from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { type Home, openHome, sessionIds } from '@cadre/home'
import { createFileEngine, type FileEngine } from '@cadre/journal'
import { agentsOf, defineAgent, type Line, type ScriptedModels, scriptedModels } from '@cadre/testing'
import { onTestFinished } from 'vitest'
import type { DaemonContext } from '../daemon-context.ts'
import type { KeptState, SessionKeeper } from '../session-keeper.ts'

export function temporaryHome(): Home {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-logs-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(path.join(folder, 'home/agents'), { recursive: true })
  return openHome({ home: path.join(folder, 'home'), cwd: folder, env: {} })
}

export interface World {
  readonly context: DaemonContext
  readonly models: ScriptedModels
  readonly engine: FileEngine
  readonly notes: Happening[]
  readonly problems: () => readonly Problem[]
  /** Until nothing runs here any more. */
  rest(): Promise<void>
}

export interface WorldOptions {
  readonly home: Home
  readonly agents?: readonly (Partial<AgentDefinition> & { readonly name: string })[]
  readonly lanes: Readonly<Record<string, readonly Line[]>>
  readonly tools?: readonly Tool[]
  readonly attend?: Ports['attend']
  /** As a process that is not there any more: what it leaves behind is what a killed one leaves. */
  readonly isDead?: boolean
}

/** What a daemon has, on files and the scripted model: as small as it can be. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const { home } = options
  const engine = await createFileEngine({
    home,
    clock: systemClock,
    ...(options.isDead && { identity: { pid: 2 ** 30, start: '1' } }),
  })
  const models = scriptedModels(options.lanes)
  const agents = agentsOf((options.agents ?? []).map(defineAgent))
  const orchestrator = createOrchestrator({
    engine,
    models: { resolve: (name) => models.resolve(name || undefined) },
    agents,
    tools: options.tools ?? [],
    clock: systemClock,
    ids: sessionIds,
    emit: () => {},
    ...(options.attend && { attend: options.attend }),
  })
  const running = new Map<string, Promise<void>>()
  const listeners = new Set<(session: string, result: RunResult) => void>()
  const run = (id: string, start: () => Promise<RunResult>) => {
    const going = start()
      .then((result) => {
        running.delete(id)
        for (const listener of listeners) listener(id, result)
      })
      .catch(() => void running.delete(id))
    running.set(id, going)
  }
  const never = new AbortController().signal
  const sessions: SessionKeeper = {
    start: async ({ id, ...request }) =>
      run(id, () => orchestrator.start({ workspace: '/', ...request, id }, never)),
    async tell(id, work) {
      if ((await engine.read(id)) === undefined) return 'missing'
      if (running.has(id) && (await orchestrator.tell(id, work))) return 'queued'
      run(id, () => orchestrator.resume(id, { work }, never))
      while (running.has(id) && !hears(await engine.read(id), work.message)) await pause(1)
      return 'queued'
    },
    delivery: async (id, message) => (hears(await engine.read(id), message) ? 'delivered' : 'unknown'),
    resume: async (id) => run(id, () => orchestrator.resume(id, {}, never)),
    cancel: async (id) => orchestrator.cancel(id),
    async state(id): Promise<KeptState> {
      if (running.has(id)) return { kind: 'running' }
      const stored = await engine.read(id)
      if (stored === undefined) return { kind: 'absent' }
      const { outcome } = stored
      return outcome === undefined ? { kind: 'waiting' } : { kind: 'ended', outcome, text: '' }
    },
    onRest(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const notes: Happening[] = []
  const known = new Map<string, readonly Problem[]>()
  const list = () => [...known.values()].flat()
  const context: DaemonContext = {
    home,
    workspace: home.path,
    agents,
    engine,
    sessions,
    note: (happening) => void notes.push(happening),
    problems: {
      report: (about, file, all) =>
        void known.set(
          `${about} ${file}`,
          all.map((one) => ({ file, ...one })),
        ),
      list,
    },
    clock: systemClock,
    parallel: () => 8,
  }
  const rest = async () => {
    while (running.size > 0) await Promise.all(running.values())
  }
  onTestFinished(async () => {
    if (options.isDead) return
    await rest()
    await engine.close()
  })
  return { context, models, engine, notes, problems: list, rest }
}

function hears(stored: StoredSession | undefined, message: string): boolean {
  return stored?.entries.some((entry) => entry.role === 'user' && entry.message === message) === true
}

export function logFile(home: Home, name: string) {
  const file = home.at('agents', `${name}.agent.md`)
  return {
    name: `agents/${name}.agent.md`,
    write: (text: string) => writeFileSync(file, text),
    add: (text: string) => writeFileSync(file, text, { flag: 'a' }),
    text: () => readFileSync(file, 'utf8'),
  }
}
