import type { Stats } from 'node:fs'
import type { Tool, ToolContext } from '@cadre/core'
import { builtIn, type ToolImplementation } from '../built-in.ts'
import { explainError, Refusal } from '../refusal.ts'
import { changesOf, type FileChange, pathsOf } from './changes-of.ts'
import { type ConfinedPath, confinePath, type WriteRules } from './confine-path.ts'
import { type DocumentsOfCall, documentsOfCall } from './documents.ts'
import { type EditInput, editArgumentAliases, editInput, editParameters, reshapeEdit } from './edit-input.ts'
import { contentAfterEdits, readExistingFile, readFileIfExists, wasChangeMade } from './file-change.ts'
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

interface Attempt {
  readonly key: string
  readonly documents: DocumentsOfCall | undefined
}

const maxAttempts = 3

function editFile(rules: WriteRules): ToolImplementation<EditInput> {
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
        content: await applyChanges(changes, locate, {
          key: context.key,
          documents: documentsOfCall(rules.documents, context, signal),
          signal,
        }),
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
  { key, documents, signal }: Attempt & { readonly signal: AbortSignal },
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const plans = await Promise.all(changes.map((change) => planOf(change, locate, documents)))
    signal.throwIfAborted()
    try {
      const steps = plans.flatMap((plan) => plan.steps)
      await carryOut(steps, { key, documents }, locate)
      for (const { file, content, before } of steps) documents?.changed(file, before?.bytes, content)
      return plans.map((plan) => plan.summary).join('\n')
    } catch (error) {
      // Another process changed the file meanwhile: the edit is recomputed from the new content.
      if (!(error instanceof ConcurrentChange) || attempt === maxAttempts) throw error
    }
  }
}

/** Computes the current result of a change. Writes nothing. */
export async function planOf(
  change: FileChange,
  locate: LocateFile,
  documents?: DocumentsOfCall,
): Promise<Plan> {
  const file = locate(change.path)
  if (change.kind === 'add') {
    const before = await readFileIfExists(file, documents)
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
  const before = await readExistingFile(file, documents)
  if (change.kind === 'delete') return { steps: [{ file, before }], summary: `Deleted ${file.shown}.` }
  const { content, summary } = contentAfterEdits(before.bytes, change, file.shown)
  if (change.kind === 'edit' || change.moveTo === undefined)
    return { steps: [{ file, content, before }], summary }
  const target = locate(change.moveTo)
  if ((await readFileIfExists(target)) !== undefined)
    throw new Refusal(`${target.shown} already exists, so nothing was moved.`)
  return {
    steps: [
      { file: target, content },
      { file, before },
    ],
    summary: `Moved ${file.shown} to ${target.shown}.`,
  }
}

async function carryOut(steps: readonly Step[], attempt: Attempt, locate: LocateFile): Promise<void> {
  const { key, documents } = attempt
  const made: Step[] = []
  try {
    for (const step of steps) {
      const expected = step.before?.stats ?? 'nothing'
      // The files before it may have made this one protected.
      if (step.before === undefined) locate(step.file.real)
      if (step.content !== undefined)
        await replaceFile(step.file, { content: step.content, key, expected, documents })
      else if (step.before !== undefined) await removeFile(step.file, step.before.stats)
      made.push(step)
    }
  } catch (error) {
    await undo(made, attempt, error)
    throw error
  }
}

async function undo(made: readonly Step[], { key, documents }: Attempt, cause: unknown): Promise<void> {
  for (const step of made.toReversed()) {
    try {
      if (step.before !== undefined)
        await replaceFile(step.file, {
          // An editor has only texts. A file that was deleted may have been anything.
          content: step.content === undefined ? step.before.bytes : step.before.bytes.toString('utf8'),
          key,
          expected: 'anything',
          documents,
        })
      else await removeFile(step.file, (await readExistingFile(step.file)).stats)
    } catch (error) {
      throw new Refusal(
        `${explainError(cause)} Cadre could not undo the earlier change to ${step.file.shown}: ${explainError(error)}`,
      )
    }
  }
}

async function stateOf(change: FileChange, locate: LocateFile): Promise<'done' | 'not_done' | 'unknown'> {
  const now = await readFileIfExists(locate(change.path))
  if (change.kind === 'delete') return now === undefined ? 'done' : 'not_done'
  if (change.kind === 'add') {
    if (now === undefined) return 'not_done'
    if (now.bytes.equals(Buffer.from(change.content))) return 'done'
    return change.overEmpty && now.bytes.length === 0 ? 'not_done' : 'unknown'
  }
  if (change.kind === 'edit' || change.moveTo === undefined)
    return now === undefined ? 'unknown' : wasChangeMade(now.bytes, change)
  const moved = await readFileIfExists(locate(change.moveTo))
  if (now !== undefined && moved === undefined) return 'not_done'
  if (now !== undefined || moved === undefined) return 'unknown'
  if (change.hunks.length === 0) return 'done'
  return wasChangeMade(moved.bytes, change) === 'done' ? 'done' : 'unknown'
}
