import type { Tool } from '@cadre/core'
import { builtIn } from '../built-in.ts'
import { changesOf, pathsOf } from './changes-of.ts'
import type { WriteRules } from './confine.ts'
import { type EditInput, editArgumentAliases, editInput, editParameters, reshapeEdit } from './edit-input.ts'

export function editFileTool(rules: WriteRules): Tool {
  return builtIn<EditInput>({
    name: 'edit_file',
    description:
      'Replace a part of a text file: old must match exactly and occur once, unless all is true. Line ends are kept.',
    class: 'edit',
    effect: 'write',
    argumentAliases: editArgumentAliases,
    reshape: reshapeEdit,
    input: editInput,
    parameters: editParameters,
    paths: (input) => changesOf(input).flatMap(pathsOf),
    load: async () => (await import('./edit-file.ts')).editFile(rules),
  })
}
