import { CadreError, type Controls } from '@cadre/core'
import type { DaemonContext } from './daemon-context.ts'

type Records = Pick<DaemonContext, 'engine'>

/**
 * Returns the controls for a session that other sessions caused: all of theirs, so that no agent can bypass its controls through another.
 * If a record is unreadable, its controls are unknown, and everything needs approval.
 */
export async function inheritedControls(
  { engine }: Records,
  causes: Iterable<string>,
  own?: Controls,
): Promise<Controls | undefined> {
  const all: (Controls | undefined)[] = [own]
  for (const session of new Set(causes)) {
    if (session === '') continue
    try {
      all.push((await engine.read(session))?.spec.controls)
    } catch (error) {
      // A name that cannot be a session id is the name of a person.
      if (error instanceof CadreError && error.code === 'usage') continue
      all.push({ approvalRequired: true })
    }
  }
  return joinControls(all)
}

/** Returns whether a session has all of these controls. A session without a record cannot do anything. */
export async function hasControls(
  { engine }: Records,
  session: string,
  wanted: Controls | undefined,
): Promise<boolean> {
  if (wanted === undefined) return true
  const stored = await engine.read(session)
  if (stored === undefined) return true
  const { approvalRequired, readOnly, deniedTools = [], noTeamEffects } = stored.spec.controls ?? {}
  return (
    (wanted.approvalRequired !== true || approvalRequired === true) &&
    (wanted.readOnly !== true || readOnly === true) &&
    (wanted.noTeamEffects !== true || noTeamEffects === true) &&
    (wanted.deniedTools ?? []).every((name) => deniedTools.includes(name))
  )
}

function joinControls(all: readonly (Controls | undefined)[]): Controls | undefined {
  const deniedTools = [...new Set(all.flatMap((controls) => controls?.deniedTools ?? []))]
  const joined: Controls = {
    ...(all.some((controls) => controls?.approvalRequired) && { approvalRequired: true }),
    ...(all.some((controls) => controls?.readOnly) && { readOnly: true }),
    ...(deniedTools.length > 0 && { deniedTools }),
    ...(all.some((controls) => controls?.noTeamEffects) && { noTeamEffects: true }),
  }
  return Object.keys(joined).length === 0 ? undefined : joined
}
