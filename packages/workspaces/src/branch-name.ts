import { commitOf, type GitRequest, tryGit } from '@cadre/disk'

/** A branch for a session that no branch is in the way of: `cadre/<session>` as a rule. */
export async function branchFor(session: string, request: GitRequest): Promise<string> {
  const plain =
    session
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/\.{2,}/g, '.')
      .replace(/(\.lock)+$/i, '')
      .replace(/^[-.]+|[.]+$/g, '') || 'session'
  // Where there is a branch `cadre`, none can be below it.
  const { code } = await tryGit(['show-ref', '-q', '--verify', 'refs/heads/cadre'], request)
  const first = code === 0 ? `cadre-${plain}` : `cadre/${plain}`
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? first : `${first}-${attempt}`
    if ((await commitOf(`refs/heads/${name}`, request)) === undefined) return name
  }
}
