import { integer, object, optional } from '@cadre/core'
import { defineHostTool, type HostTool } from '../host-tool.ts'
import { runLine } from '../run-text.ts'

const input = object({
  limit: optional(integer('How many runs to list; default 10', { min: 1, max: 50 })),
})

export function listRunsTool(): HostTool<unknown> {
  return defineHostTool({
    name: 'list_runs',
    title: 'List Cadre runs',
    description:
      "Lists the most recent runs in this project with their state, newest first. Each line starts with the run's id.",
    input,
    reads: true,
    async run({ limit = 10 }, { delegatedRuns }) {
      const runs = await delegatedRuns.list(limit)
      if (runs.length === 0) return 'There are no runs yet. Next: call delegate_work.'
      return [...runs.map(runLine), "Next: call wait_for_run or get_result with a run's id."].join('\n')
    },
  })
}
