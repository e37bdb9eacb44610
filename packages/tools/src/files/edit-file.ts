import type { Stats } from 'node:fs'
import type { Tool, ToolContext } from '@cadre/core'
import { builtIn, type Work } from '../built-in.ts'
import { explain, Refusal } from '../refusal.ts'
import { changesOf, type FileChange, pathsOf } from './changes-of.ts'
import { type ConfinedPath, confinePath, type WriteRules } from './confine-path.ts'
import { type EditInput, editArgumentAliases, editInput, editParameters, reshapeEdit } from './edit-input.ts'
import { contentAfter, readPresent, wasChangeMade } from './file-change.ts'
import { Missing } from './open-file.ts'
import { ConcurrentChange, removeFile, replaceFile } from './replace-file.ts'
import { serializeWrites } from './serialize-writes.ts'

export function editFileTool(rules: WriteRules): Tool {
  return builtIn<EditInput>({
    name: 'edit_file',
    description:
      'Replace part of a text file: old must match exactly and occur once, unless all is true. Line endings are kept.',
    class: 'edit',
    effect: 'write',
    argumentAliases: editArgumentAliases,
    reshape: reshapeEdit,
    input: editInput,
    parameters: editParameters,
    paths: (input) => changesOf(input).flatMap(pathsOf),
    load: () => editFile(rules),
  })
}

/** One change on disk, with the data to undo it. */
export interface Step {
  readonly file: ConfinedPath
  /** Absent: the file is deleted. */
  readonly content?: string
  /** Absent: the file does not exist yet. */
  readonly before?: { readonly stats: Stats; readonly bytes: Buffer }
}

interface Plan {
  readonly steps: readonly Step[]
  readonly summary: string
}

const maxAttempts = 3

export function editFile(rules: WriteRules): Work<EditInput> {
  const locateFor =
    (context: ToolContext): LocateFile =>
    (path) =>
      confinePath({ path, context, write: rules })
  return {
    async run(input, context, signal) {
      const locate = locateFor(context)
      const changes = changesOf(input)
      const files = changes.flatMap(pathsOf).map(locate)
      const reals = files.map(({ real }) => real)
      const twice = files.find(({ real }, index) => reals.indexOf(real) !== index)
      if (twice !== undefined)
        throw new Refusal(`Two of the paths point to ${twice.shown}. Use the same path for all its changes.`)
      return serializeWrites(files, async () => ({
        content: await applyChanges(changes, locate, context.key, signal),
      }))
    },
    async check(input, context) {
      const states = await Promise.all(changesOf(input).map((change) => stateOf(change, locateFor(context))))
      const [first = 'unknown'] = states
      return states.every((state) => state === first) ? first : 'unknown'
    },
  }
}

export type LocateFile = (path: string) => ConfinedPath

async function applyChanges(
  changes: readonly FileChange[],
  locate: LocateFile,
  key: string,
  signal: AbortSignal,
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const plans = await Promise.all(changes.map((change) => planOf(change, locate)))
    signal.throwIfAborted()
    try {
      await carryOut(
        plans.flatMap((plan) => plan.steps),
        key,
        locate,
      )
      return plans.map((plan) => plan.summary).join('\n')
    } catch (error) {
      // Another process changed the file meanwhile: the edit is recomputed from the new content.
      if (!(error instanceof ConcurrentChange) || attempt === maxAttempts) throw error
    }
  }
}

/** Computes the current result of a change. Writes nothing. */
export async function planOf(change: FileChange, locate: LocateFile): Promise<Plan> {
  const file = locate(change.path)
  if (change.kind === 'add') {
    const before = await presentIfExists(file)
    if (before !== undefined && !(change.overEmpty && before.bytes.length === 0)) {
      throw new Refusal(
        `${file.shown} already exists. Give the text to replace, or use write_file to replace the whole file.`,
      )
    }
    return {
      steps: [{ file, content: change.content, ...(before !== undefined && { before }) }],
      summary: `Created ${file.shown}.`,
    }
  }
  const before = await readPresent(file)
  if (change.kind === 'delete') return { steps: [{ file, before }], summary: `Deleted ${file.shown}.` }
  const { content, summary } = contentAfter(before.bytes, change, file.shown)
  if (change.kind === 'edit' || change.moveTo === undefined)
    return { steps: [{ file, content, before }], summary }
  const target = locate(change.moveTo)
  if ((await presentIfExists(target)) !== undefined)
    throw new Refusal(`${target.shown} already exists, so nothing was moved.`)
  return {
    steps: [
      { file: target, content },
      { file, before },
    ],
    summary: `Moved ${file.shown} to ${target.shown}.`,
  }
}

export async function presentIfExists(file: ConfinedPath) {
  try {
    return await readPresent(file)
  } catch (error) {
    if (error instanceof Missing) return undefined
    throw error
  }
}

async function carryOut(steps: readonly Step[], key: string, locate: LocateFile): Promise<void> {
  const made: Step[] = []
  try {
    for (const step of steps) {
      const expected = step.before?.stats ?? 'nothing'
      // The files before it may have made this one protected.
      if (step.before === undefined) locate(step.file.real)
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
      if (step.before !== undefined)
        await replaceFile(step.file, { content: step.before.bytes, key, expected: 'anything' })
      else await removeFile(step.file, (await readPresent(step.file)).stats)
    } catch (error) {
      throw new Refusal(
        `${explain(cause)} Cadre could not undo the earlier change to ${step.file.shown}: ${explain(error)}`,
      )
    }
  }
}

async function stateOf(change: FileChange, locate: LocateFile): Promise<'done' | 'not_done' | 'unknown'> {
  const now = await presentIfExists(locate(change.path))
  if (change.kind === 'delete') return now === undefined ? 'done' : 'not_done'
  if (change.kind === 'add') {
    if (now === undefined) return 'not_done'
    if (now.bytes.equals(Buffer.from(change.content))) return 'done'
    return change.overEmpty && now.bytes.length === 0 ? 'not_done' : 'unknown'
  }
  if (change.kind === 'edit' || change.moveTo === undefined)
    return now === undefined ? 'unknown' : wasChangeMade(now.bytes, change)
  const moved = await presentIfExists(locate(change.moveTo))
  if (now !== undefined && moved === undefined) return 'not_done'
  if (now !== undefined || moved === undefined) return 'unknown'
  if (change.hunks.length === 0) return 'done'
  return wasChangeMade(moved.bytes, change) === 'done' ? 'done' : 'unknown'
}
