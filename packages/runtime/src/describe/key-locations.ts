import { readFileSync } from 'node:fs'
import { readWrittenHeader, shownPath, type WrittenHeader, type WrittenKey } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'

/** Where the parts of an agent are defined. */
export interface KeyLocations {
  /** Returns `path:line` of the first of these keys in the file, or a word for the default. */
  of(keys: readonly string[], otherwise?: string): string
  /** The place of an entry within the first key that has it: a list item, a map key, or a part of a text. */
  within(keys: readonly string[], entry: number | string): string
}

/** Reads the file of an agent again to find the lines of its keys, which a definition does not contain. */
export function keyLocations(agent: AgentDefinition, cwd: string): KeyLocations {
  const { source } = agent
  const shown = source === undefined ? 'built-in' : shownPath(cwd, source.path)
  const header: WrittenHeader = source === undefined ? new Map() : headerAt(source.path)
  const find = (keys: readonly string[]) =>
    keys.map((key) => header.get(key)).find((key) => key !== undefined)
  const place = (line: number | undefined) => (line === undefined ? shown : `${shown}:${line}`)
  return {
    of(keys, otherwise = 'default') {
      const key = find(keys)
      if (key !== undefined) return place(key.line)
      return header.size === 0 && source !== undefined ? place(source.line) : otherwise
    },
    within(keys, entry) {
      const found = keys.flatMap((key) => header.get(key) ?? [])
      const holder = found.find((key) => entryIn(key, entry) !== undefined) ?? found.at(-1)
      const inner = holder === undefined ? undefined : entryIn(holder, entry)
      return place(inner?.line ?? holder?.line ?? source?.line)
    },
  }
}

function entryIn({ field, line }: WrittenKey, entry: number | string): { readonly line: number } | undefined {
  if (typeof entry === 'number') return field.items?.[entry]
  if (typeof field.value === 'string') return field.value.includes(entry) ? { line } : undefined
  return field.fields?.get(entry) ?? field.items?.find(({ value }) => String(value).includes(entry))
}

function headerAt(path: string): WrittenHeader {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return new Map()
  }
  if (/\.json$/i.test(path)) return new Map()
  return readWrittenHeader({ path, text })
}
