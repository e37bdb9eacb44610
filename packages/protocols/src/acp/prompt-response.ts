import { CadreError, type Report } from '@cadre/core'
import type { PromptResponse } from './acp-types.ts'
import { stopReasonOf } from './stop-reason.ts'

/** The response to a prompt whose run has ended. Throws if the entry agent failed. */
export function promptResponse(report: Report): PromptResponse {
  if (report.status === 'error') {
    const notice = report.notices?.at(-1)
    throw new CadreError('agent_execution', notice?.message ?? `${report.agent} could not finish.`)
  }
  const { input, output, cacheRead } = report.usage
  return {
    stopReason: stopReasonOf(report),
    usage: {
      totalTokens: input + output,
      inputTokens: input,
      outputTokens: output,
      ...(cacheRead !== undefined && { cachedReadTokens: cacheRead }),
    },
    _meta: { 'cadre/session': report.session },
  }
}
