import { CadreError, type Controls } from '@cadre/core'
import type { DaemonContext } from './daemon-context.ts'

type Records = Pick<DaemonContext, 'engine'>

/**
 * What holds for a session that others have caused: all that held for them. Nobody gets done by another what they may not do
 * themselves. Where a record cannot be read, nobody knows what held, and everything waits for a person.
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
      // What cannot be the name of a session names somebody else.
      if (error instanceof CadreError && error.code === 'usage') continue
      all.push({ approvalRequired: true })
    }
  }
  return joinControls(all)
}

/** Whether everything that is wanted holds for this session. One without a record is none that could do anything. */
export async function isUnder(
  { engine }: Records,
  session: string,
  wanted: Controls | undefined,
): Promise<boolean> {
  if (wanted === undefined) return true
  const stored = await engine.read(session)
  if (stored === undefined) return true
  const { approvalRequired, readOnly, deniedTools = [] } = stored.spec.controls ?? {}
  return (
    (wanted.approvalRequired !== true || approvalRequired === true) &&
    (wanted.readOnly !== true || readOnly === true) &&
    (wanted.deniedTools ?? []).every((name) => deniedTools.includes(name))
  )
}

function joinControls(all: readonly (Controls | undefined)[]): Controls | undefined {
  const deniedTools = [...new Set(all.flatMap((controls) => controls?.deniedTools ?? []))]
  const joined: Controls = {
    ...(all.some((controls) => controls?.approvalRequired) && { approvalRequired: true }),
    ...(all.some((controls) => controls?.readOnly) && { readOnly: true }),
    ...(deniedTools.length > 0 && { deniedTools }),
  }
  return Object.keys(joined).length === 0 ? undefined : joined
}
