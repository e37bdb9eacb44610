import { CadreError } from '../ports/errors.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import { prepareContext } from './context.ts'
import { createSession, type SessionHost } from './open-session.ts'
import { record, requireOwnership, type Session } from './session.ts'
import { foldEntries } from './state.ts'

/**
 * Summarises the older rounds of an ended session, and records the same end again. After a crash in between, the session looks interrupted
 * after its last reply.
 */
export async function compactSession(
  spec: SessionSpec,
  host: SessionHost,
  signal: AbortSignal,
): Promise<boolean> {
  const resolution = await host.ports.models.resolve(spec.model)
  if (resolution.kind === 'unknown')
    throw new CadreError(resolution.code ?? 'unknown_model', resolution.reason)
  const tree = host.tree(spec)
  const node = tree.enter(spec)
  const stop = () => node.stop({ kind: 'cancelled', by: 'run' })
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    const run = await host.ports.engine.open(spec)
    tree.follow(run.lost)
    const state = foldEntries(run.recorded, spec.id)
    const session = createSession(spec, host, { tree, node, run, state, model: resolution.model })
    try {
      node.account = await host.account(spec)
      return await compact(session)
    } catch (error) {
      requireOwnership(session)
      await run.end({ kind: 'suspended', questions: [] }).catch(() => {})
      throw error
    }
  } finally {
    signal.removeEventListener('abort', stop)
    resolution.model.release?.(spec.id)
    tree.leave(spec, node)
  }
}

async function compact(session: Session): Promise<boolean> {
  const { ended, cancelledBy, seq } = session.state
  if (ended === undefined)
    throw new CadreError(
      'usage',
      `session ${session.spec.id} has not finished its last turn. Resume it first.`,
    )
  await prepareContext(session, true)
  requireOwnership(session)
  const isCompacted = session.state.seq > seq
  if (isCompacted)
    await record(session, `end/${session.state.seq}`, () => [
      {
        role: 'event',
        type: 'session.ended',
        report: JSON.parse(JSON.stringify(ended)),
        ...(cancelledBy && { cancelled_by: cancelledBy }),
      },
    ])
  await session.run.end({ kind: 'ended', outcome: ended.status })
  return isCompacted
}
