import { cpSync } from 'node:fs'
import path from 'node:path'
import type { CadreEvent, Report } from '@cadre/core'
import type { CadreOptions } from '../../tests/cli/support/cadre.ts'
import { createProject, type Project } from '../../tests/cli/support/project.ts'

export const examples = path.join(import.meta.dirname, '..')

type Of<Type extends CadreEvent['type']> = Extract<CadreEvent, { type: Type }>

/** One run of an example, as a person could observe it. */
export interface ExampleRun {
  readonly project: Project
  readonly code: number | null
  readonly stderr: string
  readonly events: readonly CadreEvent[]
  readonly report: Report
  /** All events of one type, in order. */
  all<Type extends CadreEvent['type']>(type: Type): readonly Of<Type>[]
  /** Returns the agent of a session. */
  agentOf(session: string): string
  /** `researcher write_file`: the calls with this outcome. */
  calls(outcome: Of<'call.settled'>['outcome']): readonly string[]
  /** `supervisor → researcher`: the delegations, in the order in which the sessions started. */
  readonly delegations: readonly string[]
  /** The messages of Cadre to the sessions of an agent. */
  said(agent: string): readonly string[]
  /** True if sessions of all these agents were running at the same moment. */
  together(...agents: string[]): boolean
}

export interface ExampleOptions extends Partial<CadreOptions> {
  readonly model?: string
  readonly workspace?: string
}

/** Copies an example into a new folder. */
export function openExample(team: string): Project {
  const project = createProject()
  cpSync(path.join(examples, team), project.path, { recursive: true })
  return project
}

/** Runs the command on a copy of an example. */
export async function runExample(
  team: string,
  args: readonly string[],
  project = openExample(team),
  { model = 'scripted:playbook.yaml', workspace = 'workspace', ...options }: ExampleOptions = {},
): Promise<ExampleRun> {
  const fixed = ['run', '--json', '--workspace', workspace, '--model', model]
  const { code, stderr, json } = await project.cadre([...fixed, ...args], options)
  const lines = json()
  const events = lines.slice(0, -1) as unknown as CadreEvent[]
  const all: ExampleRun['all'] = (type) => events.filter((event) => event.type === type) as never
  const started = all('session.started')
  const agentOf = (session: string) => started.find((event) => event.session === session)?.agent ?? session
  const asked = new Map(
    all('reply.received').flatMap(({ session, calls }) =>
      calls.map(({ id, name }) => [`${session} ${id}`, name]),
    ),
  )
  return {
    project,
    code,
    stderr,
    events,
    report: lines.at(-1) as unknown as Report,
    all,
    agentOf,
    calls: (outcome) =>
      all('call.settled').flatMap((event) =>
        event.outcome === outcome
          ? [`${agentOf(event.session)} ${asked.get(`${event.session} ${event.call}`)}`]
          : [],
      ),
    delegations: started.flatMap(({ parent, agent }) =>
      parent === undefined ? [] : [`${agentOf(parent.session)} → ${agent}`],
    ),
    said: (agent) =>
      all('message.added').flatMap((event) => (agentOf(event.session) === agent ? [event.text] : [])),
    together(...agents) {
      const working: string[] = []
      for (const event of events) {
        if (event.type === 'session.started') working.push(event.agent)
        if (event.type === 'session.ended') working.splice(working.indexOf(agentOf(event.session)), 1)
        if (agents.every((agent) => count(working, agent) >= count(agents, agent))) return true
      }
      return false
    },
  }
}

function count(names: readonly string[], name: string): number {
  return names.filter((other) => other === name).length
}
