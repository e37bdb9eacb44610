import { CadreError, type SessionSpec } from '@cadre/core'
import type { DaemonContext } from '../daemon-context.ts'

type Records = Pick<DaemonContext, 'engine'>

/** Whether what this session does is paid for by whoever wrote to it, if that one has a budget at all. */
export async function spendsFor(records: Records, session: string, writer: string): Promise<boolean> {
  if (!(await hasBudget(records, writer))) return true
  return (await specOf(records, session))?.limits.charged?.session === writer
}

/** Of its own, or of a session above it. */
async function hasBudget(records: Records, session: string): Promise<boolean> {
  const seen = new Set<string>()
  for (let id: string | undefined = session; id !== undefined && !seen.has(id); ) {
    seen.add(id)
    const spec: SessionSpec | undefined = await specOf(records, id)
    if (spec?.limits?.budget !== undefined || spec?.limits?.run?.budget !== undefined) return true
    id = spec?.parent?.session ?? spec?.limits?.charged?.session
  }
  return false
}

async function specOf({ engine }: Records, session: string): Promise<SessionSpec | undefined> {
  try {
    return (await engine.read(session))?.spec
  } catch (error) {
    // What cannot be the name of a session names somebody else.
    if (error instanceof CadreError && error.code === 'usage') return undefined
    throw error
  }
}
