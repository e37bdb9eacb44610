import {
  type Draft,
  type Engine,
  foldEntries,
  noUsage,
  openCalls,
  type Report,
  type StoredSession,
} from '@cadre/core'

/**
 * Ends a session permanently that no process is running. Settles its open calls as cancelled, so that no question stays pending. Rejects
 * with `owned` if another process has resumed it in the meantime.
 */
export async function endStoredSession(
  engine: Engine,
  { spec }: StoredSession,
  reason: string,
): Promise<void> {
  const run = await engine.open(spec)
  const state = foldEntries(run.recorded, spec.id)
  const report: Report = {
    type: 'report',
    session: spec.id,
    agent: spec.agent.name,
    status: 'cancelled',
    text: state.lastText,
    model: spec.model,
    usage: state.usage ?? noUsage,
    sessions: state.sessions,
    calls: state.callCount,
    notices: [{ code: 'cancelled', message: reason }],
  }
  const left = openCalls(state).map(
    ({ call }): Draft => ({
      role: 'tool_result',
      tool_call_id: call.id,
      content: `cancelled: ${reason}`,
      outcome: 'cancelled',
    }),
  )
  await run.step(`end/${state.seq}`, () => [
    ...left,
    {
      role: 'event',
      type: 'session.ended',
      report: JSON.parse(JSON.stringify(report)),
      cancelled_by: 'person',
    },
  ])
  await run.end({ kind: 'ended', outcome: 'cancelled' })
}
