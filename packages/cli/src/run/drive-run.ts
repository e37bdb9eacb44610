import type { RunResult } from '@cadre/core'
import type { Runtime } from '@cadre/runtime'
import { namesOf } from '@cadre/runtime'
import type { ExitCode } from '../exit-codes.ts'
import { createDrive, type DriveOptions } from './create-drive.ts'
import { createRefusedCalls } from './refused-calls.ts'
import { repeatedFlags } from './repeated-flags.ts'

/**
 * One run from its start to the exit code; `go` starts or continues it on the runtime it is given. The last thing on
 * standard output is the report, or the questions, or the error; nothing follows it.
 */
export async function driveRun(
  options: Omit<DriveOptions, 'howToGoOn' | 'watch'>,
  go: (runtime: Runtime, signal: AbortSignal) => Promise<RunResult>,
): Promise<ExitCode> {
  const { io, json = false } = options
  const flags = repeatedFlags(options)
  // Records the flags for a later resume.
  const resumed = repeatedFlags({ home: options.home })
  const howToGoOn = (root: string) => `Continue later with: cadre resume ${root}${resumed}`
  const refused = createRefusedCalls()
  const drive = createDrive({ ...options, howToGoOn, watch: (event) => refused.watch(event) })
  try {
    const result = refused.tellIn(await drive.during(async (signal) => go(await drive.runtime(), signal)))
    const { showEnding } = await import('./show-ending.ts')
    const runtime = await drive.runtime()
    const names = namesOf(runtime)
    return await showEnding(result, runtime, { io, style: drive.style, json, flags, resumed, names })
  } finally {
    await drive.close()
  }
}
