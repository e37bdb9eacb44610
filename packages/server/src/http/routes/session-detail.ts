import type { SessionDetail, SessionRow } from '@cadre/api'
import type { Handoff, JsonObject, StoredSession } from '@cadre/core'
import { lastReport } from '@cadre/runtime'

/** A session's header, without its prompt. `owner` is the process that is running it. */
export function sessionDetail(
  stored: StoredSession,
  row: SessionRow,
  owner?: { readonly pid: number },
): SessionDetail {
  const { spec } = stored
  const report = lastReport(stored)
  const starter = spec.work.from ?? spec.startedBy
  return {
    row,
    work: spec.work.content,
    chain: spec.chain,
    targets: spec.targets,
    workspace: spec.workspace,
    isolated: spec.isolation !== undefined,
    limits: spec.limits as unknown as JsonObject,
    controls: (spec.controls ?? {}) as JsonObject,
    ...(starter !== undefined && { startedBy: starter }),
    ...(owner && { owner: { pid: owner.pid, here: owner.pid === process.pid } }),
    ...(report && { report: report as unknown as JsonObject }),
    handoffs: (report?.handoffs ?? []).map(({ label, agent, prompt }: Handoff) => ({ label, agent, prompt })),
  }
}
