import type { CadreEvent, RunResult } from '@cadre/core'
import { namesOf, type Runtime } from '@cadre/runtime'
import type { ExitCode } from '../exit-codes.ts'
import { formatCount } from '../output/numbers.ts'
import { createRunDriver, type RunDriverOptions } from './create-run-driver.ts'
import { createDeniedCalls, type DeniedCalls } from './denied-calls.ts'
import { repeatedFlags } from './repeated-flags.ts'
import type { EndingOptions } from './show-ending.ts'

/** The options of the run, and those of its ending that no other part sets. */
export interface RunOptions
  extends Omit<RunDriverOptions, 'resumeHint' | 'watch'>,
    Omit<EndingOptions, 'json' | 'style' | 'flags' | 'resumed' | 'names' | 'denied'> {
  /** The denied calls of the run so far. */
  readonly denied?: DeniedCalls
}

/**
 * One run from its start to the exit code; `go` starts or continues it. The last output is the report, the questions, or
 * the error.
 */
export async function driveRun(
  options: RunOptions,
  go: (runtime: Runtime, signal: AbortSignal) => Promise<RunResult>,
): Promise<ExitCode> {
  const { json = false, denied = createDeniedCalls() } = options
  const flags = repeatedFlags(options)
  // The flags of a command that resumes it.
  const resumed = repeatedFlags({ home: options.home })
  const resumeHint = (root: string) => `Resume later with: cadre resume ${root}${resumed}`
  const refused = createRefusedCalls()
  const watch = (event: CadreEvent) => {
    refused.watch(event)
    denied.watch(event)
  }
  const drive = createRunDriver({ ...options, resumeHint, watch })
  try {
    const result = refused.tellIn(await drive.during(async (signal) => go(await drive.runtime(), signal)))
    const { showEnding } = await import('./show-ending.ts')
    const runtime = await drive.runtime()
    const names = namesOf(runtime)
    const { style } = drive
    return await showEnding(result, runtime, { ...options, json, style, flags, resumed, names, denied })
  } finally {
    await drive.close()
  }
}

interface RefusedCalls {
  watch(event: CadreEvent): void
  /** Adds a notice about the refused calls to the result. */
  tellIn(result: RunResult): RunResult
}

/** Counts the calls that `--no-human` refused, because the agents may not mention them in their report. */
function createRefusedCalls(): RefusedCalls {
  const tools = new Map<string, string>()
  const refused: string[] = []
  return {
    watch(event) {
      if (event.type === 'session.started')
        for (const { id, name } of event.open ?? []) tools.set(`${event.session} ${id}`, name)
      if (event.type === 'call.judged') tools.set(`${event.session} ${event.call}`, event.tool)
      if (event.type !== 'call.settled' || event.outcome !== 'refused') return
      // Refused by the gate or, if the call was pending since an earlier run, by the automatic answer.
      if (!event.content.includes('--no-human')) return
      refused.push(tools.get(`${event.session} ${event.call}`) ?? 'a call')
    },
    tellIn(result) {
      if (result.kind !== 'report' || refused.length === 0) return result
      const names = [...new Set(refused)].join(', ')
      const message = `${formatCount(refused.length, 'call')} needed an approval and ${refused.length === 1 ? 'was' : 'were'} refused because of --no-human: ${names}. Allow the effect with --allow or a policy, or run without --no-human.`
      const { report } = result
      return {
        ...result,
        report: { ...report, notices: [...(report.notices ?? []), { code: 'approval', message }] },
      }
    },
  }
}
