import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json } from '@cadre/core'
import type { ParseError } from 'jsonc-parser'
import { jsonParser } from './json-parser.ts'

export interface RequestedHook {
  readonly event: string
  /** Part of the command line. An entry of the event with this part is this hook, even if the rest was changed. */
  readonly mark: string
  /** An item of the event's list. */
  readonly entry: Json
}

export type MergedHooks =
  /** `hasOthers`: the settings also contain other hooks. */
  | { readonly kind: 'merged'; readonly text: string; readonly hasOthers: boolean; readonly isOff: boolean }
  | { readonly kind: 'refused'; readonly line: number; readonly reason: string }

/** Adds hooks to Claude Code's settings. Everything else keeps its value, position and formatting. */
export function mergeHooks(written: string, wanted: readonly RequestedHook[]): MergedHooks {
  const mark = written.startsWith('\ufeff') ? '\ufeff' : ''
  const text = written.slice(mark.length)
  const { parseTree, findNodeAtLocation, modify, applyEdits, printParseErrorCode } = jsonParser()
  const faults: ParseError[] = []
  const root = parseTree(text, faults, { disallowComments: true })
  const refuse = (offset: number, reason: string): MergedHooks => ({
    kind: 'refused',
    line: text.slice(0, offset).split('\n').length,
    reason,
  })
  const [fault] = faults
  if (fault !== undefined)
    return refuse(fault.offset, `this is not valid JSON (${printParseErrorCode(fault.error)})`)
  const before = JSON.parse(text) as Json
  if (root === undefined || !isObject(before)) return refuse(0, 'the settings are not a JSON object')
  const hooks = before['hooks'] ?? {}
  const offsetOf = (...keys: string[]) => findNodeAtLocation(root, keys)?.offset ?? 0
  if (!isObject(hooks)) return refuse(offsetOf('hooks'), '"hooks" is not an object')
  const wrong = wanted.find(({ event }) => hooks[event] !== undefined && !Array.isArray(hooks[event]))
  if (wrong !== undefined) return refuse(offsetOf('hooks', wrong.event), `"${wrong.event}" is not a list`)
  const missing = wanted.filter(({ event, mark: part }) => !commandsIn(hooks[event]).some(has(part)))
  const formattingOptions = { ...indentOf(text), eol: text.includes('\r\n') ? '\r\n' : '\n' }
  let result = text
  for (const { event, entry } of missing) {
    const isNew = findNodeAtLocation(parseTree(result) ?? root, ['hooks', event]) === undefined
    const edits = isNew
      ? modify(result, ['hooks', event], [entry], { formattingOptions })
      : modify(result, ['hooks', event, -1], entry, { formattingOptions, isArrayInsertion: true })
    result = applyEdits(result, edits)
  }
  const expected = { ...before, hooks: withEntries(hooks, missing) }
  // For example a duplicate key: programs use the last one, but the edit would change the first.
  if (missing.length > 0 && !isDeepStrictEqual(JSON.parse(result), expected))
    return refuse(offsetOf('hooks'), 'the hooks cannot be added without changing other settings')
  const entries = Object.values(hooks).flatMap((list) => (Array.isArray(list) ? list : [list]))
  return {
    kind: 'merged',
    text: mark + result,
    hasOthers: entries.some((entry) => !wanted.some((one) => isDeepStrictEqual(one.entry, entry))),
    isOff: before['disableAllHooks'] === true,
  }
}

function withEntries(hooks: Readonly<Record<string, unknown>>, added: readonly RequestedHook[]) {
  const result: Record<string, unknown> = { ...hooks }
  for (const { event, entry } of added) result[event] = [...((result[event] as unknown[]) ?? []), entry]
  return result
}

function has(part: string): (command: string) => boolean {
  return (command) => command.includes(part)
}

function commandsIn(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((entry) => {
    const actions = isObject(entry) && Array.isArray(entry['hooks']) ? entry['hooks'] : []
    return actions.flatMap((action) =>
      isObject(action) && typeof action['command'] === 'string' ? [action['command']] : [],
    )
  })
}

function indentOf(text: string): { insertSpaces: boolean; tabSize: number } {
  const indent = /^[ \t]+(?=\S)/m.exec(text)?.[0] ?? '  '
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.startsWith('\t') ? 1 : indent.length }
}
