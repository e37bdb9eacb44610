import type { Json } from '@cadre/core'
import type { Located } from '@cadre/disk'
import { plainKey } from '../header/known-keys.ts'
import { linesOf } from '../header/lines.ts'
import { readHeader } from '../header/read-agent-header.ts'
import { splitFile } from '../header/split-file.ts'

/** A key of a header, as written. */
export interface WrittenKey {
  readonly written: string
  readonly line: number
  readonly value: Json
  readonly field: Located
}

/** The keys of an agent file by their normalized spelling; the first of several spellings. */
export type WrittenHeader = ReadonlyMap<string, WrittenKey>

/** Returns the keys of a file with their lines. Empty if nothing can be read. */
export function readWrittenHeader({
  path,
  text,
}: {
  readonly path: string
  readonly text: string
}): WrittenHeader {
  const keys = new Map<string, WrittenKey>()
  const add = (written: string, field: Located) => {
    const plain = plainKey(written)
    if (!keys.has(plain)) keys.set(plain, { written, line: field.line, value: field.value, field })
  }
  const entries = entriesOf(path, text.replace(/^\ufeff+/, ''))
  const isWrapped = entries.some(({ written }) => written === 'apiVersion')
  for (const { written, field } of entries) {
    // `{apiVersion, kind: Agent, metadata: {…}, spec: {…}}`: uses the keys of the two groups.
    const isGroup = isWrapped && (written === 'metadata' || written === 'spec')
    if (isGroup && field.fields !== undefined) for (const [key, inner] of field.fields) add(key, inner)
    else add(written, field)
  }
  return keys
}

function entriesOf(path: string, text: string) {
  const file = /\.ya?ml$/i.test(path) ? yamlLines(text) : splitFile(text)
  if (file.kind !== 'split') return []
  const read = readHeader({ path, lines: file.header, firstLine: file.headerLine })
  return read.kind === 'read' ? read.entries : []
}

/** The first document of a YAML file. */
function yamlLines(text: string) {
  const lines = linesOf(text).map((line) => line.text)
  const start = lines[0]?.trimEnd() === '---' ? 1 : 0
  const end = lines.findIndex((line, index) => index >= start && /^(?:---|\.\.\.)\s*$/.test(line))
  const header = lines.slice(start, end === -1 ? undefined : end)
  return { kind: 'split', header, headerLine: start + 1 } as const
}
