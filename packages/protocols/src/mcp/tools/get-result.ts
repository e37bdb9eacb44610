import { object } from '@cadre/core'
import { defineHostTool, type HostTool } from '../host-tool.ts'
import { describeRun } from '../wait-for.ts'
import { runArgument } from './wait-for-run.ts'

const input = object({ run: runArgument })

export function getResultTool(): HostTool<unknown> {
  return defineHostTool({
    name: 'get_result',
    title: 'Get the result of a Cadre run',
    description:
      "Returns a finished run's report, or a running run's current state, without waiting. Works for every run in this project, including runs from earlier conversations.",
    input,
    reads: true,
    run: async ({ run }, call) => describeRun(await call.delegatedRuns.read(run), call),
  })
}
