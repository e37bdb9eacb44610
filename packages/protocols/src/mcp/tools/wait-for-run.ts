import { integer, object, optional, string } from '@cadre/core'
import type { ApprovalRecord } from '@cadre/gate'
import { type Environment, personName } from '@cadre/runtime'
import { decideForHost, reasonHostMayNotDecide } from '../decide-for-host.ts'
import { defineHostTool, type HostCall, type HostTool } from '../host-tool.ts'
import type { KnownRun } from '../run-state.ts'
import { describeRun, maxWait, waitFor } from '../wait-for.ts'

/** The id of a run, as an argument of several tools. */
export const runArgument = string('The id of the run, from delegate_work', { min: 1, max: 200 })

const input = object({
  run: runArgument,
  seconds: optional(integer(`The longest time to wait; default ${maxWait}`, { min: 0, max: maxWait })),
})

export function waitForRunTool({ env }: Pick<Environment, 'env'>): HostTool<unknown> {
  return defineHostTool({
    name: 'wait_for_run',
    title: 'Wait for a Cadre run',
    description: `Waits until a run has ended or needs a person, at most ${maxWait} seconds, and returns its state and, at the end, its report. Call it again as long as the state is "running". Also resumes a delegated run after a decision or an interruption.`,
    input,
    reads: true,
    alwaysLoad: true,
    async run({ run, seconds = maxWait }, call) {
      await takeAnswers(call, env)
      const known = await waitFor(run, { seconds }, call)
      // If there is nothing to ask, the person decides elsewhere.
      const permissions = { ...call.permissions, ask: false }
      return (await approvalToAsk(known, call)) ?? describeRun(known, { ...call, permissions })
    },
  })
}

/** Records what the user of the host decided in forms. */
async function takeAnswers(call: HostCall, env: Environment['env']): Promise<void> {
  const { delegatedRuns, client, permissions, answers } = call
  if (!permissions.ask) return
  const by = `${personName(env) ?? 'the user'}, through ${client.name} (MCP)`
  for (const [approval, { decision, reason }] of answers)
    if (decision !== 'none')
      await decideForHost(
        { delegatedRuns, environment: env, approval },
        { decision, by, ...(reason !== undefined && { reason }) },
      )
}

/** The first approval that the host may show to its user, unless the user has already declined to answer. */
async function approvalToAsk(
  { state }: KnownRun,
  { client, permissions, answers, delegatedRuns }: HostCall,
): Promise<ApprovalRecord | undefined> {
  const isDeclined = [...answers.values()].some(({ decision }) => decision === 'none')
  if (state.kind !== 'waiting' || !permissions.ask || !client.elicits || isDeclined) return undefined
  for (const record of state.approvals)
    if ((await reasonHostMayNotDecide(record, delegatedRuns, 'approve')) === undefined) return record
  return undefined
}
