import type { RefUpdate, RemoteRefs } from './checkout-repository.ts'
import type { SnapshotNote } from './snapshot-note.ts'

export interface WantedBranch {
  readonly name: string
  readonly commit: string
  /** The branch that Cadre has pushed for it before. */
  readonly known?: SnapshotNote['result']
}

/** Chooses a name for each branch that nobody else uses. No update is necessary if the branch has the commit already. */
export function freeBranches(
  wanted: readonly WantedBranch[],
  { refs }: RemoteRefs,
): readonly { readonly branch: string; readonly update?: RefUpdate }[] {
  // If there is a branch `cadre`, there can be none below it.
  const isTaken = refs.has('refs/heads/cadre')
  return wanted.map(({ name, commit, known }) => {
    const first = known?.branch ?? (isTaken ? name.replace('/', '-') : name)
    for (let attempt = 1; ; attempt++) {
      const branch = attempt === 1 ? first : `${first}-${attempt}`
      const ref = `refs/heads/${branch}`
      const expected = refs.get(ref)
      if (expected === commit) return { branch }
      if (expected === undefined || (attempt === 1 && expected === known?.commit))
        return { branch, update: { ref, commit, expected } }
    }
  })
}
