import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOrchestrator, defineTool, type Json, object, type Rule, string, type Tool } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import {
  type Approvals,
  type AskInTerminal,
  askEverywhere,
  createApprovals,
  createPathResolver,
  createRequireApprovals,
  followApprovals,
} from '@cadre/gate'
import { type ApprovalRule, type Home, openHome } from '@cadre/home'
import { createFileEngine, type FileEngine } from '@cadre/journal'
import { agentsOf, defineAgent, scriptedModels } from '@cadre/testing'
import { onTestFinished } from 'vitest'

/** Who decides, where no policy requires several people. */
export const voter = { name: 'system', roles: [], via: 'command' } as const

export type Lanes = Parameters<typeof scriptedModels>[0]

export interface World {
  readonly home: Home
  readonly messages: string[]
  /** The real effects, in order. */
  readonly done: string[]
  readonly engine: FileEngine
  readonly approvals: Approvals
  /** How often journals were read for the approvals. */
  reads(): number
  start(): Promise<Json>
  resume(): Promise<Json>
  /** The same home as opened by another process: only the disk is shared. */
  again(options?: Pick<WorldOptions, 'ask' | 'hangs' | 'approvals' | 'isUnattended'>): Promise<World>
  /** The number of started launches that do not end, because the world `hangs`. */
  hanging(): number
  close(): Promise<void>
  tasks(): string
  writeTasks(text: string): void
  /** Names in a folder of approvals. */
  files(place: 'pending' | 'approved' | 'rejected'): string[]
  file(place: 'pending' | 'approved' | 'rejected', id: string): string
}

export interface WorldOptions {
  readonly ask?: AskInTerminal
  readonly folder?: string
  readonly ids?: string
  readonly hangs?: boolean
  readonly isUnattended?: boolean
  /** `approvals` of the policy. */
  readonly approvals?: readonly Partial<ApprovalRule>[]
  /** Who starts the run. */
  readonly startedBy?: string
}

/** A home on disk with a team that asks before it runs anything; agents are the lanes of the script. */
export async function openWorld(lanes: Lanes, options: WorldOptions = {}): Promise<World> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'cadre-approvals-'))
  if (options.folder === undefined) onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = openHome({ home: join(folder, 'home'), cwd: folder, env: {} })
  const told: string[] = []
  const done: string[] = []
  const tell = (message: string) => void told.push(message)
  const files: FileEngine = await createFileEngine({
    home,
    clock: systemClock,
    answer: (session, question, signal) =>
      askEverywhere(
        approvals,
        { session, question, ask: options.ask, tell, isUnattended: options.isUnattended },
        signal,
      ),
  })
  let reads = 0
  const counted = {
    ...files,
    read: (id: string) => {
      reads++
      return files.read(id)
    },
  }
  const approvals = createApprovals({ home, engine: counted, clock: systemClock, user: 'system', tell })
  const engine = followApprovals(files, approvals, { home, tell })
  let hanging = 0
  const act = (name: string, effect: 'read' | 'execute') =>
    defineTool({
      name,
      description: name,
      class: effect === 'read' ? 'read' : 'execute',
      effect,
      input: object({ command: string('what') }),
      ...(effect === 'execute' && { commands: () => ({ list: [], sure: true }) }),
      run: async ({ command }) => {
        if (options.hangs && effect === 'execute') {
          hanging += 1
          return new Promise<never>(() => {})
        }
        done.push(`${name} ${command}`)
        return { content: `${name} ${command}: ok` }
      },
    }) as Tool
  const asks: Rule<string> = {
    by: 'policy',
    name: 'ask',
    judge: ({ tool, input }) =>
      tool.effect === 'execute'
        ? {
            kind: 'ask',
            by: 'policy',
            rule: 'effects.execute',
            reason: 'the call runs a program',
            risk: 'MEDIUM',
            reasons: ['it can do anything'],
            grants: [`command: ${(input as { command: string }).command}`],
          }
        : undefined,
  }
  let count = 0
  const rules = (options.approvals ?? []).map((rule) => ({
    quorum: 1,
    roles: ['approver', 'admin'] as const,
    notByStarter: false,
    place: 'policy.yaml:1',
    ...rule,
  }))
  const requireApprovals = createRequireApprovals({
    policy: { approvals: rules },
    places: createPathResolver({}),
  })
  const orchestrator = createOrchestrator({
    engine,
    models: scriptedModels(lanes),
    agents: agentsOf(Object.keys(lanes).map((name) => defineAgent({ name }))),
    tools: [act('launch', 'execute'), act('look', 'read')] as unknown as Tool[],
    rules: [asks],
    ...(requireApprovals && { requireApprovals }),
    clock: systemClock,
    ids: { session: (agent) => `${agent}-${options.ids ?? ''}${++count}` },
    emit: () => {},
  })
  const never = new AbortController().signal
  const at = (...names: string[]) => home.at(...names)
  return {
    home,
    messages: told,
    done,
    engine,
    approvals,
    reads: () => reads,
    hanging: () => hanging,
    start: async () =>
      (await orchestrator.start(
        {
          agent: 'lead',
          work: 'do it',
          workspace: folder,
          ...(options.startedBy !== undefined && { startedBy: options.startedBy }),
        },
        never,
      )) as unknown as Json,
    resume: async () => (await orchestrator.resume('lead-1', {}, never)) as unknown as Json,
    async again(more = {}) {
      await engine.close()
      const { approvals: rules = [] } = options
      return openWorld(lanes, { approvals: rules, ...more, folder, ids: 'later-' })
    },
    close: () => engine.close(),
    tasks: () => readFileSync(at('tasks', 'approvals.task.md'), 'utf8'),
    writeTasks: (text) => writeFileSync(at('tasks', 'approvals.task.md'), text),
    files(place) {
      try {
        return readdirSync(at('approvals', place))
      } catch {
        return []
      }
    },
    file: (place, id) => at('approvals', place, `${id}.approval.md`),
  }
}
