import type { Stats } from 'node:fs'
import type { Tool } from '@cadre/core'
import { builtIn } from './built-in.ts'
import { type ConfinedPath, confined } from './confine.ts'
import { editAliases, editArgumentAliases, type EditInput, editInput, editParameters, reshapeEdit } from './edit-input.ts'
import { changed, changeMade, changesOf, type FileChange, pathsOf, present } from './file-change.ts'
import { oneAtATime } from './one-at-a-time.ts'
import type { ProtectedPath } from './protected-paths.ts'
import { explain, Refusal } from './refusal.ts'
import { ChangedMeanwhile, removeFile, replaceFile } from './replace-file.ts'

/** One thing to do to the disk, with what it takes to undo it. */
interface Step {
  readonly file: ConfinedPath
  /** Absent: the file is removed. */
  readonly content?: string
  /** Absent: there is no such file yet. */
  readonly before?: { readonly stats: Stats; readonly bytes: Buffer }
}

interface Plan {
  readonly steps: readonly Step[]
  readonly summary: string
}

const mostTries = 3

export function editFileTool({ protectedPath }: { readonly protectedPath: ProtectedPath }): Tool {
  const locate = (workspace: string, path: string) => confined({ workspace, path, write: true, protectedPath })

  return builtIn<EditInput>({
    name: 'edit_file',
    description: 'Replace a part of a text file: old must match exactly and occur once, unless all is true. Line ends are kept.',
    class: 'edit',
    effect: 'write',
    aliases: editAliases,
    argumentAliases: editArgumentAliases,
    reshape: reshapeEdit,
    input: editInput,
    parameters: editParameters,
    paths: (input) => changesOf(input).flatMap(pathsOf),
    async run(input, { workspace, key }, signal) {
      const changes = changesOf(input)
      const files = await Promise.all(changes.flatMap(pathsOf).map((path) => locate(workspace, path)))
      return oneAtATime(
        files.map(({ real }) => real),
        async () => ({ content: await make(changes, (path) => locate(workspace, path), key, signal) }),
      )
    },
    async check(input, { workspace }) {
      const states = await Promise.all(changesOf(input).map((change) => stateOf(change, (path) => locate(workspace, path))))
      const [first = 'unknown'] = states
      return states.every((state) => state === first) ? first : 'unknown'
    },
  })
}

type Locate = (path: string) => Promise<ConfinedPath>

async function make(changes: readonly FileChange[], locate: Locate, key: string, signal: AbortSignal): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const plans = await Promise.all(changes.map((change) => planOf(change, locate)))
    signal.throwIfAborted()
    try {
      await carryOut(plans.flatMap((plan) => plan.steps), key)
      return plans.map((plan) => plan.summary).join('\n')
    } catch (error) {
      // Somebody outside of this process wrote in between: their content counts, and the edit is computed anew.
      if (!(error instanceof ChangedMeanwhile) || attempt === mostTries) throw error
    }
  }
}

async function planOf(change: FileChange, locate: Locate): Promise<Plan> {
  const file = await locate(change.path)
  if (change.kind === 'add' || isCreation(change)) {
    const before = await presentOrNot(file)
    if (before !== undefined && (change.kind === 'add' || before.bytes.length > 0)) {
      throw new Refusal(`${file.shown} exists already; give the text to replace, or use write_file to replace everything.`)
    }
    const content = change.kind === 'add' ? change.content : (change.edits[0]?.new ?? '')
    return { steps: [{ file, content, ...(before !== undefined && { before }) }], summary: `Created ${file.shown}.` }
  }
  const before = await present(file)
  if (change.kind === 'delete') return { steps: [{ file, before }], summary: `Deleted ${file.shown}.` }
  const { content, summary } = changed(before.bytes, change, file.shown)
  if (change.kind === 'edit' || change.moveTo === undefined) return { steps: [{ file, content, before }], summary }
  const target = await locate(change.moveTo)
  if ((await presentOrNot(target)) !== undefined) throw new Refusal(`${target.shown} exists already; nothing was moved.`)
  return { steps: [{ file: target, content }, { file, before }], summary: `Moved ${file.shown} to ${target.shown}.` }
}

/** An empty `old` in a single edit is how some dialects create a file. */
function isCreation(change: FileChange): change is Extract<FileChange, { kind: 'edit' }> {
  return change.kind === 'edit' && change.edits.length === 1 && change.edits[0]?.old === ''
}

async function presentOrNot(file: ConfinedPath) {
  try {
    return await present(file)
  } catch (error) {
    if (error instanceof Refusal && error.message.includes('does not exist')) return undefined
    throw error
  }
}

async function carryOut(steps: readonly Step[], key: string): Promise<void> {
  const made: Step[] = []
  try {
    for (const step of steps) {
      const expected = step.before?.stats ?? 'nothing'
      if (step.content !== undefined) await replaceFile(step.file, { content: step.content, key, expected })
      else if (step.before !== undefined) await removeFile(step.file, step.before.stats)
      made.push(step)
    }
  } catch (error) {
    await undo(made, key, error)
    throw error
  }
}

async function undo(made: readonly Step[], key: string, cause: unknown): Promise<void> {
  for (const step of made.toReversed()) {
    try {
      if (step.before !== undefined) await replaceFile(step.file, { content: step.before.bytes, key, expected: 'anything' })
      else await removeFile(step.file, (await present(step.file)).stats)
    } catch (error) {
      throw new Refusal(`${explain(cause)} What had been changed before could not be put back in ${step.file.shown}: ${explain(error)}`)
    }
  }
}

async function stateOf(change: FileChange, locate: Locate): Promise<'done' | 'not_done' | 'unknown'> {
  const now = await presentOrNot(await locate(change.path))
  if (change.kind === 'delete') return now === undefined ? 'done' : 'not_done'
  if (change.kind === 'add' || isCreation(change)) {
    const content = change.kind === 'add' ? change.content : (change.edits[0]?.new ?? '')
    if (now === undefined || (now.bytes.length === 0 && content !== '')) return 'not_done'
    return now.bytes.toString('utf8') === content ? 'done' : 'unknown'
  }
  if (change.kind === 'edit' || change.moveTo === undefined) return now === undefined ? 'unknown' : changeMade(now.bytes, change)
  const moved = await presentOrNot(await locate(change.moveTo))
  if (now !== undefined && moved === undefined) return 'not_done'
  if (now !== undefined || moved === undefined) return 'unknown'
  if (change.hunks.length === 0) return 'done'
  return changeMade(moved.bytes, change) === 'done' ? 'done' : 'unknown'
}
