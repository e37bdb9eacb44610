import { object } from '@cadre/core'
import { defineHostTool, type HostTool } from '../host-tool.ts'
import { runArgument } from './wait-for-run.ts'

const input = object({ run: runArgument })

export function cancelRunTool(): HostTool<unknown> {
  return defineHostTool({
    name: 'cancel_run',
    title: 'Cancel a Cadre run',
    description:
      'Stops a delegated run and all its agents, in any process. Does not undo changes that agents have already made.',
    input,
    reads: false,
    async run({ run }, { delegatedRuns, client, signal }) {
      await delegatedRuns.read(run)
      const isCancelled = await delegatedRuns.cancel(run, client.name || 'a program', signal)
      if (!isCancelled) return `Run ${run} has already ended.\nNext: call get_result with run "${run}".`
      return `Cancelling run ${run}.\nNext: call get_result with run "${run}" to see what it has done.`
    },
  })
}
