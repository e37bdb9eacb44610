import { integer, object, optional, string } from '@cadre/core'
import { defineHostTool, type HostTool } from '../host-tool.ts'
import { describeRun, maxWait, waitFor } from '../wait-for.ts'

/** The id of a run, as an argument of several tools. */
export const runArgument = string('The id of the run, as delegate_work returned it', { min: 1, max: 200 })

const input = object({
  run: runArgument,
  seconds: optional(integer(`How long to wait at most; default ${maxWait}`, { min: 0, max: maxWait })),
})

export function waitForRunTool(): HostTool<unknown> {
  return defineHostTool({
    name: 'wait_for_run',
    title: 'Wait for a Cadre run',
    description: `Waits until a run has ended or needs a person, at most ${maxWait} seconds, and returns its state and, at the end, its report. Call it again as long as the state is "running". Also resumes a delegated run after a decision or an interruption.`,
    input,
    reads: true,
    alwaysLoad: true,
    run: async ({ run, seconds = maxWait }, call) => describeRun(await waitFor(run, { seconds }, call), call),
  })
}
