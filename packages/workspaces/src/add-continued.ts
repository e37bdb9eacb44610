import type { GitRequest } from '@cadre/disk'
import { mergeTrees, treeOf } from '@cadre/disk'
import type { WorkspaceRecord } from './workspace-record.ts'

export type WithContinued =
  | { readonly kind: 'tree'; readonly tree: string }
  | { readonly kind: 'impossible'; readonly reason: string }

/** A tree together with what these workspaces have changed. */
export async function addContinued(
  start: string,
  continued: readonly WorkspaceRecord[],
  { commonDir, ...at }: GitRequest & { readonly commonDir: string },
): Promise<WithContinued> {
  let tree = start
  for (const { session, commonDir: other, start: base, tip, merged } of continued) {
    if (merged === tip) continue
    if (other !== commonDir) {
      const reason = `the session ${session}, which it continues, works in another repository; merge it first`
      return { kind: 'impossible', reason }
    }
    const sides = { base: merged ?? base, ours: tree, theirs: await treeOf(tip, at) }
    const result = await mergeTrees(sides, at)
    if (result.kind === 'conflicts') {
      const files = result.files.slice(0, 5).join(', ')
      const reason = `what the session ${session} changed, which it continues, does not fit to the rest: ${files}`
      return { kind: 'impossible', reason }
    }
    tree = result.tree
  }
  return { kind: 'tree', tree }
}
