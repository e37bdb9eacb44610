import type { JsonObject } from '@cadre/core'
import { listOf, objectOf, textOf } from '../json-values.ts'

/** A call of one of Cadre's tools that has the same effect as the action of a program. */
export interface PermissionCall {
  readonly tool: string
  readonly input: JsonObject
}

export interface PermissionRequest {
  /** For messages. */
  readonly title: string
  /** Undefined if Cadre cannot tell what would happen. */
  readonly call: PermissionCall | undefined
  /** The option that allows exactly this action. Never one that allows more. */
  readonly allow: string | undefined
  readonly reject: string | undefined
}

/** Reads a permission request. The kind and the arguments are claims of the program: the sandbox limits what it really does. */
export function readPermission(
  params: unknown,
  commandIn: (toolCall: JsonObject) => JsonObject | undefined = rawCommandIn,
): PermissionRequest {
  const { toolCall, options } = objectOf(params)
  const call = objectOf(toolCall)
  const option = (kind: string) =>
    listOf(options).find((one) => one['kind'] === kind && typeof one['optionId'] === 'string')?.['optionId']
  const [allow, reject] = [option('allow_once'), option('reject_once')]
  return {
    title: textOf(call['title']).slice(0, 200) || 'an action without a title',
    call: callOf(call, commandIn),
    allow: typeof allow === 'string' ? allow : undefined,
    reject: typeof reject === 'string' ? reject : undefined,
  }
}

function rawCommandIn(call: JsonObject): JsonObject {
  return objectOf(call['rawInput'])
}

function callOf(
  call: JsonObject,
  commandIn: (toolCall: JsonObject) => JsonObject | undefined,
): PermissionCall | undefined {
  const raw = objectOf(call['rawInput'])
  switch (call['kind']) {
    case 'execute':
      return commandCall(commandIn(call) ?? {})
    case 'edit':
      return editCall(call)
    case 'read': {
      const path = firstText(raw, ['path', 'file_path', 'filePath', 'absolute_path']) ?? locationIn(call)
      return path === undefined ? undefined : { tool: 'read_file', input: { path } }
    }
    case 'fetch': {
      const url = firstText(raw, ['url', 'uri'])
      return url === undefined ? undefined : { tool: 'web_fetch', input: { url } }
    }
    default:
      return undefined
  }
}

function commandCall(raw: JsonObject): PermissionCall | undefined {
  const { command } = raw
  const cwd = firstText(raw, ['cwd', 'workdir', 'directory'])
  const isLine = typeof command === 'string' && command.trim() !== ''
  const isWords =
    Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string')
  if (!isLine && !isWords) return undefined
  return {
    tool: 'execute_command',
    input: {
      command: isWords ? lineOf(command as string[]) : (command as string),
      ...(cwd !== undefined && { cwd }),
    },
  }
}

/** Only a change that the request shows completely: a person must see what would be written. */
function editCall(call: JsonObject): PermissionCall | undefined {
  const all = listOf(call['content'])
  const diffs = all.filter(({ type }) => type === 'diff')
  const [diff] = diffs
  if (diff === undefined || diffs.length > 1) return undefined
  const { path, oldText, newText } = diff
  if (typeof path !== 'string' || typeof newText !== 'string') return undefined
  // It would hide that another file changes.
  const elsewhere = listOf(call['locations']).some((one) => textOf(one['path']) !== path)
  if (elsewhere) return undefined
  return typeof oldText === 'string' && oldText !== ''
    ? { tool: 'edit_file', input: { path, old: oldText, new: newText } }
    : { tool: 'write_file', input: { path, content: newText } }
}

function locationIn(call: JsonObject): string | undefined {
  const places = listOf(call['locations'])
  const [first] = places
  return places.length === 1 && typeof first?.['path'] === 'string' ? first['path'] : undefined
}

function firstText(from: JsonObject, names: readonly string[]): string | undefined {
  const found = names.map((name) => from[name]).find((value) => typeof value === 'string' && value !== '')
  return found as string | undefined
}

/** `bash -lc SCRIPT` is the script. */
function lineOf(words: readonly string[]): string {
  const [program = '', option = '', script] = words
  if (/^(?:\/usr)?(?:\/bin\/)?(?:ba|z)?sh$/.test(program) && /^-l?c$/.test(option) && words.length === 3)
    return script ?? ''
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}
