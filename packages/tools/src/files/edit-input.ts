import {
  array,
  boolean,
  type Infer,
  isObject,
  type JsonSchema,
  object,
  optional,
  renameArguments,
  type StandardSchema,
  string,
} from '@cadre/core'
import { withoutArguments } from '../built-in.ts'
import { Refusal } from '../refusal.ts'
import { parsePatch } from './parse-patch.ts'

const path = string('Path of the file, relative to the workspace', { min: 1 })
const old = string('The text to replace, exactly as it is in the file. Must occur once, unless all is true')
const replacement = string('The replacement text')
const all = optional(boolean('Replace every occurrence'))

/** The parameters shown to models. */
export const editParameters: JsonSchema = object({ path, old, new: replacement, all }).json

// Also accepted: several edits in one call, and patches.
const shape = object({
  path: optional(path),
  old: optional(old),
  new: optional(replacement),
  all,
  edits: optional(
    array(
      object({ path: optional(path), old, new: replacement, all }),
      'Edits, applied in order, all or none',
    ),
  ),
  patch: optional(string('Changes in the *** Begin Patch format', { min: 1 })),
})

export type EditInput = Infer<typeof shape>

export const editInput: StandardSchema<EditInput> = {
  '~standard': {
    version: 1,
    vendor: 'cadre',
    validate(value) {
      const result = shape.check(value, [])
      if (result.issues !== undefined) return result
      const fault = faultIn(result.value)
      return fault === undefined ? result : { issues: [fault] }
    },
  },
}

function faultIn(input: EditInput): { message: string; path: string[] } | undefined {
  if (input.patch !== undefined) {
    if (input.path !== undefined || input.edits !== undefined || input.old !== undefined) {
      return { path: ['patch'], message: 'cannot be combined with other arguments' }
    }
    const parsed = parsePatch(input.patch)
    return 'fault' in parsed ? { path: ['patch'], message: parsed.fault } : undefined
  }
  if (input.edits !== undefined) {
    if (input.old !== undefined || input.new !== undefined)
      return { path: ['edits'], message: 'cannot be combined with old and new' }
    if (input.edits.length === 0) return { path: ['edits'], message: 'must not be empty' }
    const missing = input.path === undefined && input.edits.some((edit) => edit.path === undefined)
    return missing ? { path: ['path'], message: 'is missing' } : undefined
  }
  const missing = (['path', 'old', 'new'] as const).find((name) => input[name] === undefined)
  return missing === undefined ? undefined : { path: [missing], message: 'is missing' }
}

const spellings: { readonly [spelling: string]: string } = {
  filePath: 'path',
  file_path: 'path',
  old_string: 'old',
  oldString: 'old',
  old_str: 'old',
  oldText: 'old',
  old_text: 'old',
  new_string: 'new',
  newString: 'new',
  new_str: 'new',
  newText: 'new',
  new_text: 'new',
  replace_all: 'all',
  replaceAll: 'all',
}

export const editArgumentAliases = spellings

/** Converts an edit of any dialect to the arguments of this tool. */
export function reshapeEdit(input: Record<string, unknown>): Record<string, unknown> {
  const given = { ...renameArguments(withoutArguments(input, ['explanation', 'instructions']), spellings) }
  // Elsewhere this is one command of a larger tool, which needs no name here.
  if (given['command'] === 'str_replace') delete given['command']
  const { patch } = renameArguments(given, { input: 'patch', patchText: 'patch' })
  if (typeof patch === 'string' && given['old'] === undefined)
    return { ...withoutArguments(given, ['input', 'patchText']), patch }
  if (typeof given['code'] === 'string' && given['old'] === undefined) {
    throw new Refusal(
      'the argument code is not supported, because it omits parts of the file. Give path, old and new instead, or replace the whole file with write_file.',
    )
  }
  const { edits } = renameArguments(given, { replacements: 'edits' })
  if (!Array.isArray(edits)) return given
  return {
    ...withoutArguments(given, ['replacements']),
    edits: edits.map((edit) =>
      isObject(edit) ? renameArguments(withoutArguments(edit, ['explanation']), spellings) : edit,
    ),
  }
}
