import type { CadreEvent, RunResult } from '@cadre/core'
import { counted } from '../output/numbers.ts'

export interface RefusedCalls {
  watch(event: CadreEvent): void
  /** Adds a notice about the refused calls to the result. */
  tellIn(result: RunResult): RunResult
}

/** Counts the calls that `--no-human` refused, because the agents may not mention them in their report. */
export function createRefusedCalls(): RefusedCalls {
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
      const message = `${counted(refused.length, 'call')} needed an approval and ${refused.length === 1 ? 'was' : 'were'} refused because of --no-human: ${names}. Allow the effect with --allow or a policy, or run without --no-human.`
      const { report } = result
      return {
        ...result,
        report: { ...report, notices: [...(report.notices ?? []), { code: 'approval', message }] },
      }
    },
  }
}
