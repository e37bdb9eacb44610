import { CadreError } from '@cadre/core'
import { editFile, type Home, holdLease, runningProcess } from '@cadre/home'
import { readSessionBytes, recoverHome } from '@cadre/journal'

/**
 * Replaces a session file's content while no process is running its tree. Holds the tree's lease meanwhile, so that no process starts it. The
 * change is atomic, and is recomputed if a person saves the file in between. Rejects with `owned` while the tree is running.
 */
export async function editSessionFile(
  home: Home,
  { id, root }: { readonly id: string; readonly root: string },
  edit: (bytes: Buffer) => Buffer,
): Promise<void> {
  const running = runningProcess(home, root)
  const attempt = running === undefined ? holdLease(home, root) : ({ kind: 'owned', by: running } as const)
  if (attempt.kind === 'owned')
    throw new CadreError(
      'owned',
      `process ${attempt.by?.pid ?? 'unknown'} is running session ${id}. Wait for it to finish, or stop it with: cadre sessions cancel ${id}`,
    )
  try {
    await recoverHome(home)
    editFile(home.at('sessions', `${id}.session.yaml`), (raw) => {
      if (raw === undefined) throw new CadreError('not_found', `session ${id} was deleted.`)
      return edit(Buffer.from(raw, 'latin1')).toString('latin1') as typeof raw
    })
  } finally {
    attempt.lease.release()
  }
}

/** Throws `not_found` if there is no such session. */
export function requireSessionBytes(home: Home, id: string): Buffer {
  const bytes = readSessionBytes(home, id)
  if (bytes !== undefined) return bytes
  throw new CadreError('not_found', `there is no session ${JSON.stringify(id)}.`)
}
