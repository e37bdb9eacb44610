import { isObject, type Json, type JsonObject } from '@cadre/core'
import { escapeRegex } from '@cadre/disk'

export interface HostToolCall {
  readonly name: string
  readonly input: JsonObject
  readonly aliases?: readonly string[]
}

export interface HostTool {
  readonly name: string
  /** Other names of the same tool in the host. */
  readonly also?: readonly string[]
  readonly calls: (input: JsonObject, paths: readonly string[]) => readonly HostToolCall[]
}

/** A host's names for Cadre's tools and their arguments. Tools that are not listed keep their own names. */
export type HostTools = { readonly [tool: string]: HostTool }

type Spelling = { readonly [ours: string]: string }

/** Translates one call into one call. */
function oneCall(
  name: string,
  inputOf: (input: JsonObject) => JsonObject,
  also?: readonly string[],
): HostTool {
  return { name, ...(also !== undefined && { also }), calls: (input) => [{ name, input: inputOf(input) }] }
}

/** Renames arguments; those without another name stay unchanged. */
function directTool(name: string, spelling: Spelling = {}, also?: readonly string[]): HostTool {
  return oneCall(name, (input) => renameArguments(input, spelling), also)
}

function renameArguments(input: JsonObject, spelling: Spelling): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      Object.hasOwn(spelling, key) ? (spelling[key] as string) : key,
      value,
    ]),
  )
}

interface EditNames {
  readonly one: string
  /** For several edits of one file: the tool, and the key with the edits. */
  readonly many: readonly [name: string, key: string]
  readonly patch: readonly [name: string, key: string]
  readonly path: string
  readonly spelling: Spelling
  /** True if each of several edits names its file. */
  readonly pathInEach?: boolean
  readonly also?: readonly string[]
}

/** `edit_file` takes one edit, several edits in several files, or a patch: each file becomes a separate call. */
function edits({ one, many, patch, path, spelling, pathInEach = false, also }: EditNames): HostTool {
  const calls = (input: JsonObject, paths: readonly string[]): HostToolCall[] => {
    if (typeof input['patch'] === 'string') {
      const [name, key] = patch
      const of = (file: string | undefined): HostToolCall => ({
        name,
        input: { ...(file !== undefined && { [path]: file }), [key]: input['patch'] as string },
        aliases: [one],
      })
      return paths.length === 0 ? [of(undefined)] : [...new Set(paths)].map(of)
    }
    if (!Array.isArray(input['edits']))
      return [{ name: one, input: renameArguments(input, { path, ...spelling }) }]
    const byPath = new Map<string, JsonObject[]>()
    for (const edit of input['edits'] as readonly Json[]) {
      if (!isObject(edit)) continue
      const file = typeof edit['path'] === 'string' ? edit['path'] : String(input['path'] ?? '')
      byPath.set(file, [...(byPath.get(file) ?? []), edit])
    }
    return [...byPath].map(([file, list]) => {
      const [name, key] = many
      const said = list.map(({ path: _, ...edit }) => ({
        ...(pathInEach && { [path]: file }),
        ...renameArguments(edit, spelling),
      }))
      return { name, input: { ...(!pathInEach && { [path]: file }), [key]: said }, aliases: [one] }
    })
  }
  return { name: one, ...(also !== undefined && { also }), calls }
}

const outputModes: { readonly [ours: string]: string } = {
  lines: 'content',
  files: 'files_with_matches',
  counts: 'count',
}

/** Claude's Grep, which the Copilot CLI also has: always a regular expression, and lists only files by default. */
function grep(name: string, also?: readonly string[]): HostTool {
  return oneCall(
    name,
    ({ query, mode, ignoreCase, context, output, limit, ...rest }) => ({
      pattern: mode === 'regex' || typeof query !== 'string' ? (query ?? '') : escapeRegex(query),
      ...rest,
      output_mode: outputModes[String(output ?? 'lines')] ?? 'content',
      ...(ignoreCase !== undefined && { '-i': ignoreCase }),
      ...(context !== undefined && { '-C': context }),
      ...(limit !== undefined && { head_limit: limit }),
    }),
    also,
  )
}

const agent = { agentName: 'subagent_type', workDescription: 'prompt' }

export const claudeTools: HostTools = {
  read_file: directTool('Read', { path: 'file_path' }),
  view_image: directTool('Read', { path: 'file_path' }),
  list_directory: directTool('LS'),
  find_files: directTool('Glob', { glob: 'pattern' }),
  search_files: grep('Grep'),
  write_file: directTool('Write', { path: 'file_path' }),
  edit_file: edits({
    one: 'Edit',
    many: ['MultiEdit', 'edits'],
    patch: ['Edit', 'patch'],
    path: 'file_path',
    spelling: { old: 'old_string', new: 'new_string', all: 'replace_all' },
  }),
  web_fetch: directTool('WebFetch'),
  execute_command: directTool('Bash'),
  delegateWork: directTool('Agent', agent, ['Task']),
  delegate_task: directTool('Agent', {}, ['Task']),
  todo: directTool('TodoWrite'),
}

const task = { agentName: 'agent_type', subagent_type: 'agent_type', workDescription: 'prompt' }

export const copilotTools: HostTools = {
  read_file: directTool('view'),
  view_image: directTool('view'),
  list_directory: directTool('view'),
  find_files: directTool('glob', { glob: 'pattern' }),
  search_files: grep('grep', ['rg']),
  write_file: directTool('create', { content: 'file_text' }),
  edit_file: edits({
    one: 'edit',
    many: ['edit', 'edits'],
    patch: ['apply_patch', 'patch'],
    path: 'path',
    spelling: { old: 'old_str', new: 'new_str', all: 'replace_all' },
    also: ['str_replace_editor', 'apply_patch'],
  }),
  web_fetch: directTool('web_fetch'),
  execute_command: directTool('bash'),
  delegateWork: directTool('task', task),
  delegate_task: directTool('task', task),
  todo: directTool('update_todo'),
}

const subagent = { subagent_type: 'agentName', workDescription: 'prompt' }

export const vscodeTools: HostTools = {
  read_file: directTool('read_file', { path: 'filePath' }),
  view_image: directTool('view_image', { path: 'filePath' }),
  list_directory: directTool('list_dir'),
  find_files: directTool('file_search', { glob: 'query' }),
  search_files: oneCall('grep_search', ({ mode, glob, limit, ...rest }) => ({
    ...rest,
    isRegexp: mode === 'regex',
    ...(glob !== undefined && { includePattern: glob }),
    ...(limit !== undefined && { maxResults: limit }),
  })),
  write_file: directTool('create_file', { path: 'filePath' }),
  edit_file: edits({
    one: 'replace_string_in_file',
    many: ['multi_replace_string_in_file', 'replacements'],
    patch: ['apply_patch', 'input'],
    path: 'filePath',
    spelling: { old: 'oldString', new: 'newString', all: 'replaceAll' },
    pathInEach: true,
  }),
  create_directory: directTool('create_directory', { path: 'dirPath' }),
  web_fetch: oneCall('fetch_webpage', ({ url, ...rest }) => ({
    ...rest,
    ...(url !== undefined && { urls: [url] }),
  })),
  get_errors: oneCall('get_errors', ({ path, ...rest }) => ({
    ...rest,
    ...(path !== undefined && { filePaths: [path] }),
  })),
  execute_command: directTool('run_in_terminal'),
  delegateWork: directTool('runSubagent', subagent),
  delegate_task: directTool('runSubagent', subagent),
  todo: directTool('manage_todo_list'),
}
