import { loadTeam } from '@cadre/agents'
import { boolean, CadreError, integer, object, optional, string } from '@cadre/core'
import { maxWorkLength } from '../delegated-run.ts'
import { defineHostTool, type HostTool } from '../host-tool.ts'
import type { KnownRun } from '../run-state.ts'
import { describeRun, maxWait, waitFor } from '../wait-for.ts'

const input = object({
  work: string(
    'Complete, self-contained instructions. The agents do not see this conversation: name files, goals and how to check the result',
    { min: 1, max: maxWorkLength, visible: true },
  ),
  team: optional(
    string('A built-in team, as NAME or NAME/VARIANT; list_agents lists them', { min: 1, max: 200 }),
  ),
  agent: optional(
    string('The agent to start; default: the entry agent in the project or the team', { min: 1, max: 200 }),
  ),
  read_only: optional(boolean('If true, no agent may write files, run programs or reach the network')),
  wait_seconds: optional(
    integer('How long to wait for the result before this call returns; default 10', { min: 0, max: maxWait }),
  ),
})

/** The longest time that the call waits for the start. */
const startSeconds = 5

export interface DelegateOptions {
  readonly workspace: string
  /** True if every delegated run is read-only. */
  readonly readOnly?: boolean | undefined
}

export function delegateWorkTool({ workspace, readOnly = false }: DelegateOptions): HostTool<unknown> {
  return defineHostTool({
    name: 'delegate_work',
    title: 'Delegate work to Cadre',
    description:
      "Delegates work to a team of coding agents, or to one agent, in this workspace, and returns the run's id. The run continues even if this call, this conversation or this program ends. Then call wait_for_run with the id until the run has ended. Changes that need approval wait for a person.",
    input,
    reads: false,
    alwaysLoad: true,
    async run({ work, team, agent, read_only: wantsReadOnly, wait_seconds: seconds = 10 }, call) {
      if (team !== undefined) requireTeam(team)
      const id = await call.delegatedRuns.start({
        work,
        workspace,
        host: call.client.name || 'an unknown program',
        ...(team !== undefined && { team }),
        ...(agent !== undefined && { agent }),
        ...((readOnly || wantsReadOnly) && { readOnly: true }),
        ...(call.trace !== undefined && { trace: call.trace }),
      })
      // Mistakes show up at the start, so the answer can name them at once.
      const isStarted = ({ state: { kind } }: KnownRun) => kind !== 'starting' && kind !== 'idle'
      const begun = await waitFor(id, { seconds: startSeconds, isEnough: isStarted }, call)
      if (begun.state.kind === 'failed')
        throw new CadreError('agent_execution', await describeRun(begun, call))
      const run = seconds === 0 ? begun : await waitFor(id, { seconds }, call)
      return describeRun(run, call)
    },
  })
}

function requireTeam(team: string): void {
  try {
    loadTeam(team)
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    throw new CadreError(
      'usage',
      `${error.message.replace(/\.$/, '')}. Call list_agents to see teams and agents.`,
    )
  }
}
