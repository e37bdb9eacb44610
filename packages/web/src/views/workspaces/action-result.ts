import type { JsonObject } from '@cadre/core'

export interface ActionResult {
  readonly isDone: boolean
  readonly text: string
  readonly files: readonly string[]
}

const sentences: Readonly<Record<string, string>> = {
  merged: 'Merged.',
  undone: 'Rolled back with a new commit.',
  nothing: 'There are no changes to merge or roll back.',
  conflicts: 'Not merged, because these files conflict. Cadre did not change anything.',
  dirty:
    'Not merged, because these files have uncommitted changes in the target folder. Commit or stash them first.',
  in_the_way:
    'Not rolled back, because later changes to these files depend on these changes. Cadre did not change anything.',
}

/** The result of a merge or a rollback, as a sentence. Only `merged` and `undone` mean that something has changed. */
export function actionResult({ result, files }: JsonObject): ActionResult {
  const kind = String(result)
  const names = Array.isArray(files) ? files.filter((file) => typeof file === 'string') : []
  const known = Object.hasOwn(sentences, kind) ? sentences[kind] : undefined
  const text = known ?? `Not done: ${kind}.`
  return { isDone: kind === 'merged' || kind === 'undone', text, files: names }
}
