import { isTooDeep, resolveAlias, scalarText, yamlParser } from '@cadre/disk'
import type { Document, Node, ParsedNode, YAMLMap } from 'yaml'
import { type LenientEntry, lenientEntry } from './lenient-entry.ts'
import type { RawHeader } from './read-header.ts'
import { topKeys } from './spec-from-header.ts'
import type { JournalValue } from './text-cursor.ts'

/** The reason why a text is not a session, and the line, counted from 1. */
export class Unreadable extends Error {
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

export interface LenientJournal extends RawHeader {
  readonly entries: readonly LenientEntry[]
}

/** The same for keys of the metadata. */
const metadataTextKeys = ['root', 'workspace', 'outcome', 'completion']

/** Reads a whole session file in any valid YAML notation and any key order, with or without Cadre's additions. */
export function readLeniently(text: string): LenientJournal {
  const document = parseDocument(text)
  const yaml = yamlParser()
  const top = document.contents
  if (!yaml.isMap(top)) throw new Unreadable('the file is not a mapping with session_id and messages', 1)
  const fields = valuesOf(top, document, topKeys)
  const metadata = resolveAlias(top.get('metadata', true), document)
  const { messages: _messages, metadata: _metadata, ...rest } = fields
  return {
    fields: rest,
    metadata: yaml.isMap(metadata) ? valuesOf(metadata, document, metadataTextKeys) : {},
    entries: entriesOf(resolveAlias(top.get('messages', true), document), document, text),
  }
}

/** Reads one entry of the list. */
export function readEntryLeniently(text: string): LenientEntry {
  const document = parseDocument(text)
  const entries = entriesOf(document.contents, document, text)
  const [entry] = entries
  if (entry === undefined || entries.length > 1) throw new Unreadable('one entry was expected here', 1)
  return entry
}

function parseDocument(text: string): Document.Parsed {
  if (isTooDeep(text)) throw new Unreadable('the lists or mappings are nested too deeply', 1)
  const document = yamlParser().parseDocument(text, { logLevel: 'silent' })
  const [error] = document.errors
  if (error === undefined) return checkAliases(document)
  const message = error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? ''
  throw new Unreadable(`this is not valid YAML: ${message}`, error.linePos?.[0].line ?? 1)
}

/** Rejects YAML aliases that are circular or expand to more than fits into memory, because neither can be written again. */
function checkAliases(document: Document.Parsed): Document.Parsed {
  try {
    JSON.stringify(document.toJS())
    return document
  } catch {
    throw new Unreadable(
      'an alias refers to itself or expands to too much. Replace the alias with its content',
      1,
    )
  }
}

function entriesOf(list: unknown, document: Document.Parsed, text: string): LenientEntry[] {
  const yaml = yamlParser()
  if (list === undefined || list === null || (yaml.isScalar(list) && list.value === null)) return []
  if (!yaml.isSeq(list)) throw new Unreadable('messages must be a list', lineOf(list, text))
  return list.items.map((item) => {
    const map = resolveAlias(item, document)
    if (!yaml.isMap(map)) throw new Unreadable('an entry must be a mapping with a role', lineOf(item, text))
    const reading = lenientEntry(map, document)
    if (typeof reading === 'string') throw new Unreadable(reading, lineOf(item, text))
    return reading
  })
}

function valuesOf(
  map: YAMLMap,
  document: Document.Parsed,
  textual: readonly string[],
): Record<string, JournalValue> {
  const values: Record<string, JournalValue> = map.toJS(document)
  for (const key of textual) {
    const text = scalarText(map.get(key, true), document)
    if (text !== undefined && text !== null) values[key] = text
  }
  return values
}

function lineOf(node: unknown, text: string): number {
  const range = (node as Node | ParsedNode | undefined)?.range
  return range ? text.slice(0, range[0]).split('\n').length : 1
}
