import { thisProcess } from '@cadre/disk'
import { type Home, Leases } from '@cadre/home'
import type { JournalDiagnostic } from './engine-parts.ts'
import { recoverSessions } from './recover.ts'

/**
 * Recovers what dead processes have left in a home. Call it with a tree's lease, before you change its files without an engine: otherwise a
 * later recovery could take the change for lost bytes, and write removed entries again.
 */
export async function recoverHome(
  home: Home,
  report: (diagnostic: JournalDiagnostic) => void = () => {},
): Promise<void> {
  const self = thisProcess()
  const leases = new Leases(home, self)
  try {
    await recoverSessions({ home, self, leases, report })
  } finally {
    leases.close()
  }
}
