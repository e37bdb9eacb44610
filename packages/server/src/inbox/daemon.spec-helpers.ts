import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Happening, Problem } from '@cadre/channels'
import {
  type AgentDefinition,
  CadreError,
  type Controls,
  nameKey,
  type StoredSession,
  type Work,
} from '@cadre/core'
import { type Home, openHome } from '@cadre/home'
import type { DaemonContext } from '../daemon-context.ts'
import type { KeptState } from '../session-keeper.ts'

export interface HeardSession {
  readonly agent: string
  readonly heard: Work[]
  state: KeptState
  readonly controls?: Controls | undefined
}

/** A home, and sessions that remember what they were told, as records on disk would: they outlive the daemon. */
export class TestHome {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'cadre-server-'))
  readonly home: Home = openHome({ home: this.folder, cwd: this.folder, env: {} })
  readonly sessions = new Map<string, HeardSession>()
  readonly agents: string[] = []
  /** Called before anything is said to a session: may throw, as a crash would. */
  before: (what: 'start' | 'tell', session: string) => void = () => {}

  constructor(...agents: string[]) {
    this.agents.push(...agents)
  }

  write(file: string, text: string): void {
    mkdirSync(path.dirname(this.home.at(file)), { recursive: true })
    writeFileSync(this.home.at(file), text)
  }

  lines(file: string): Record<string, unknown>[] {
    const text = readFileSync(this.home.at(file), 'utf8')
    return text
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]))
  }

  /** What every session was told, in order. */
  heard(): string[] {
    return [...this.sessions].flatMap(([id, { heard }]) =>
      heard.map(({ content }) => `${id}: ${content.split('\n')[0]}`),
    )
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Of one life of the daemon. */
  context(): DaemonContext & { readonly noted: Happening[]; problems: { list(): readonly Problem[] } } {
    const noted: Happening[] = []
    const found = new Map<string, readonly Problem[]>()
    const definitions = () => this.agents.map((name): AgentDefinition => agentNamed(name))
    return {
      home: this.home,
      workspace: this.folder,
      agents: {
        get: (name) => definitions().find((agent) => nameKey(agent.name) === nameKey(name)),
        list: definitions,
      },
      engine: {
        // Of a record only what was said to it, and what holds for it.
        read: async (id) => {
          const { heard, controls } = this.sessions.get(id) ?? {}
          const entries = heard?.map(({ content, message }) => ({ role: 'user', content, message }))
          return entries && ({ entries, spec: { controls } } as unknown as StoredSession)
        },
        list: async () => [],
      },
      note: (happening) => noted.push(happening),
      noted,
      problems: {
        report: (about, file, problems) => {
          found.set(
            `${about} ${file}`,
            problems.map((problem) => ({ ...problem, file })),
          )
        },
        list: () => [...found.values()].flat(),
      },
      clock: { now: Date.now, after: () => () => {} },
      parallel: () => 8,
      sessions: {
        start: () => Promise.reject(new Error('unreachable: messages are told')),
        tell: async (session, work, begin) => {
          const known = this.sessions.get(session)
          this.before(known === undefined && begin !== undefined ? 'start' : 'tell', session)
          if (known !== undefined) {
            if (!known.heard.some(({ message }) => message === work.message)) known.heard.push(work)
            return 'queued'
          }
          if (begin === undefined) return 'missing'
          const { agent, controls } = begin
          if (!this.agents.includes(agent)) throw new CadreError('not_found', `no agent ${agent}`)
          this.sessions.set(session, { agent, heard: [work], state: { kind: 'running' }, controls })
          return 'queued'
        },
        delivery: async (session, message) => {
          const heard = this.sessions.get(session)?.heard ?? []
          return heard.some((work) => work.message === message) ? 'delivered' : 'unknown'
        },
        resume: async () => {},
        cancel: async () => false,
        state: async (session) => this.sessions.get(session)?.state ?? { kind: 'absent' },
        onRest: () => () => {},
      },
    }
  }
}

function agentNamed(name: string): AgentDefinition {
  return { name, description: name, prompt: '', tools: { kind: 'all' } }
}
