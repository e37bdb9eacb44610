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
  const used = new Set(refs.keys())
  // If there is a branch `a`, there can be none with a name such as `a/b`.
  const isBlocked = (ref: string) =>
    [...used].some((other) => other.startsWith(`${ref}/`) || ref.startsWith(`${other}/`))
  return wanted.map(({ name, commit, known }) => {
    const usual = known?.branch ?? name
    const first = used.has('refs/heads/cadre') ? usual.replace('/', '-') : usual
    for (let attempt = 1; ; attempt++) {
      const branch = attempt === 1 ? first : `${first}-${attempt}`
      const ref = `refs/heads/${branch}`
      const expected = refs.get(ref)
      if (expected === commit) return { branch }
      const isOwn = expected !== undefined && branch === known?.branch && expected === known.commit
      if (isBlocked(ref) || (used.has(ref) && !isOwn)) continue
      used.add(ref)
      return { branch, update: { ref, commit, expected } }
    }
  })
}
