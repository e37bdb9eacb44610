import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Model, ModelRequest, Reply, ReplyFailure, WireCall } from '@cadre/core'
import { type Fixture, type Replayed, recordRun, replayRun } from '@cadre/replay'
import { createRuntime, openSessions, type Runtime, type RuntimeOptions } from '@cadre/runtime'
import { onTestFinished } from 'vitest'

/** What the model of one session does. It is written in the work of the session, so that a model needs to know nothing else. */
export interface Plan {
  readonly rounds: readonly PlannedRound[]
  readonly end: string
}

export interface PlannedRound {
  readonly calls: readonly PlannedCall[]
  /** `late`: when another session has ended or hangs. */
  readonly fails?: boolean | 'late'
  /** The model does not answer until the world is released. */
  readonly hangs?: boolean
}

export type PlannedCall =
  | { readonly tool: string; readonly input: object }
  | { readonly delegate: string; readonly plan: Plan; readonly wait: boolean }
  | { readonly team: string; readonly members: readonly { name: string; agent: string; plan: Plan }[] }

const mark = 'PLAN '

/** The plan as text that no part of a prompt can be mistaken for. */
export function planText(plan: Plan): string {
  return `${mark}${Buffer.from(JSON.stringify(plan)).toString('base64url')} END`
}

function planIn({ messages }: ModelRequest): Plan {
  const text = messages.map(({ content }) => content ?? '').find((content) => content.includes(mark)) ?? ''
  const coded = /PLAN ([\w-]+) END/.exec(text)?.[1]
  return coded === undefined
    ? { rounds: [], end: 'I have no plan.' }
    : JSON.parse(Buffer.from(coded, 'base64url').toString('utf8'))
}

interface WorldState {
  isReleased: boolean
  /** Resolves when a model does not answer. */
  readonly hangs: Promise<void>
  readonly hung: () => void
  /** Resolves when a session has ended. */
  readonly ended: Promise<void>
  readonly end: () => void
}

function createState(): WorldState {
  let hung = () => {}
  let end = () => {}
  const hangs = new Promise<void>((resolve) => {
    hung = resolve
  })
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { isReleased: false, hangs, hung, ended, end }
}

async function replyTo(
  request: ModelRequest,
  state: WorldState,
  signal: AbortSignal,
): Promise<Reply | ReplyFailure> {
  if (request.purpose === 'summary') return { kind: 'reply', content: 'It went well.', calls: [] }

  const plan = planIn(request)
  const round = plan.rounds[request.round - 1]
  if (round === undefined) {
    const reports = request.tools.some(({ name }) => name === 'reportOut')
    const call = callOf(`end_${request.round}`, 'reportOut', { report: plan.end })
    return { kind: 'reply', content: reports ? null : plan.end, calls: reports ? [call] : [] }
  }
  if (round.hangs && !state.isReleased) {
    state.hung()
    return new Promise((resolve) => {
      const failure = { kind: 'failed', code: 'cancelled', message: 'cancelled' } as const
      signal.addEventListener('abort', () => resolve(failure), { once: true })
    })
  }
  if (round.fails === 'late') await Promise.race([state.ended, state.hangs])
  if (round.fails) return { kind: 'failed', code: 'backend', message: 'the server is away' }
  const calls = round.calls.map((planned, index) => {
    const id = `c${request.round}_${index}`
    if ('tool' in planned) return callOf(id, planned.tool, planned.input)
    if ('team' in planned) {
      const members = planned.members.map(({ name, agent, plan: own }) => ({
        name,
        agent_type: agent,
        prompt: planText(own),
      }))
      return callOf(id, 'create_team', { name: planned.team, members })
    }
    const { delegate, wait, plan: own } = planned
    return callOf(id, 'delegate_task', {
      subagent_type: delegate,
      prompt: planText(own),
      wait_for_result: wait,
    })
  })
  return {
    kind: 'reply',
    content: `Round ${request.round}.`,
    calls,
    usage: { input: 10 * request.round, output: 5 },
  }
}

function callOf(id: string, name: string, input: object): WireCall {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

export interface PlannedWorld {
  readonly folder: string
  open(options?: Partial<RuntimeOptions>): Promise<Runtime>
  record(session: string): Promise<Fixture>
  replay(fixture: Fixture): Promise<Replayed>
  write(file: string, text: string): void
  /** Resolves when a model does not answer. */
  readonly hangs: Promise<void>
  /** From now on, models answer. */
  release(): void
}

/** A project with agents `a` to `d` that may use every tool and delegate to each other, and a model that follows plans. */
export function createPlannedWorld(facts: Pick<Model, 'window'> = {}): PlannedWorld {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-planned-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const env = { PATH: process.env['PATH'], HOME: folder, CADRE_TRUST: '1' }
  const environment = { cwd: folder, env, warn: () => {} }
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  for (const name of ['a', 'b', 'c', 'd'])
    write(
      `.github/agents/${name}.agent.md`,
      `---\nname: ${name}\ndescription: x\ntools: ['*']\nagents: ['*']\n---\nYou are ${name}.\n`,
    )
  write('known.txt', 'known\n')
  const state = createState()
  const planned: Model = {
    id: 'plan:x',
    ...facts,
    reply: (request, _hooks, signal) => replyTo(request, state, signal),
  }
  return {
    folder,
    write,
    hangs: state.hangs,
    release() {
      state.isReleased = true
    },
    open: (options) =>
      createRuntime({
        environment,
        model: 'plan:x',
        allow: ['write'],
        backends: { plan: async () => ({ open: async () => ({ kind: 'found', model: planned }) }) },
        ...options,
        onEvent: (event) => {
          if (event.type === 'session.ended') state.end()
          options?.onEvent?.(event)
        },
      }),
    async record(session) {
      const sessions = await openSessions(environment, undefined)
      try {
        return JSON.parse(JSON.stringify(await recordRun(environment, sessions, session)))
      } finally {
        await sessions.close()
      }
    },
    replay: (fixture) => replayRun(environment, fixture, {}, new AbortController().signal),
  }
}
