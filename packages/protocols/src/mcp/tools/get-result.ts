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
      'Returns the report of a run that has ended, or its current state, without waiting. Works for every run of this project, also of earlier conversations.',
    input,
    reads: true,
    run: async ({ run }, call) => describeRun(await call.delegations.read(run), call),
  })
}
