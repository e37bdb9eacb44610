import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { isAlive, type ProcessIdentity, thisProcess } from '@cadre/disk'

/** How long a server whose `cadre engine start` was killed may take to end, in milliseconds. */
const endLimit = 3_000

const fileIn = (folder: string) => path.join(folder, 'server.json')

/** Rejects while a server of this machine uses the data in the folder. */
export async function rejectIfUsed(folder: string): Promise<void> {
  const until = performance.now() + endLimit
  for (;;) {
    const owner = readOwner(folder)
    if (owner === undefined) return
    if (performance.now() > until)
      throw new CadreError(
        'usage',
        `a Restate server already uses the data in ${folder}: process ${owner.pid}. Use that one, or stop it first.`,
      )
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Records the server that uses the data. Returns a function that removes the record when the server has ended. */
export function recordOwner(folder: string, pid: number): () => void {
  const { token: _, ...identity } = thisProcess({ pid })
  // A copy of the folder is not in use.
  writeFileSync(fileIn(folder), `${JSON.stringify({ ...identity, folder })}\n`, { mode: 0o600 })
  return () => {
    rmSync(fileIn(folder), { force: true })
  }
}

function readOwner(folder: string): ProcessIdentity | undefined {
  let owner: ProcessIdentity & { readonly folder: string }
  try {
    owner = JSON.parse(readFileSync(fileIn(folder), 'utf8')) as typeof owner
  } catch {
    return undefined
  }
  return owner.folder === folder && isAlive(owner, thisProcess(), 0) ? owner : undefined
}
