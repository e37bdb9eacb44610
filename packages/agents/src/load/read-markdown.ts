import { isDeepStrictEqual } from 'node:util'
import type { AgentDefinition } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import { type BodyPart, findBodyKeys } from '../header/body-keys.ts'
import { findUnclosedHeader } from '../header/find-header.ts'
import type { UnreadRestriction } from '../header/find-unread-restrictions.ts'
import { hasLostLineBreaks } from '../header/has-lost-line-breaks.ts'
import { hasSwallowedKeys } from '../header/has-swallowed-keys.ts'
import { describeHeaderRepair } from '../header/header-repair.ts'
import { isAgentKey, plainKey } from '../header/known-keys.ts'
import { type ParsedHeader, readHeader } from '../header/read-agent-header.ts'
import { type SplitFile, splitFile } from '../header/split-file.ts'
import type { Dialect } from './dialects.ts'
import { type ParsedAgent, readDefinition } from './read-definition.ts'
import {
  failedRead,
  isDocumentation,
  isHeaderless,
  promptOf,
  readHeaderless,
  unrecognisedHeader,
} from './read-headerless.ts'

export interface AgentText {
  readonly path: string
  readonly text: string
}

type Split = Extract<SplitFile, { kind: 'split' }>
type Header = Extract<ParsedHeader, { kind: 'read' }>

/** Reads an agent in Markdown with a header. Never throws. */
export function readMarkdown(file: AgentText, dialect: Dialect, repairs = true): ParsedAgent {
  const { path } = file
  const text = file.text.replace(/^\ufeff+/, '')
  if (hasLostLineBreaks(text)) {
    const message =
      'This file has lost its line breaks: its header is on one line, so Cadre cannot separate the keys.'
    return failedRead(path, 1, 'line-breaks-lost', message)
  }
  const split = splitFile(text)
  if (split.kind === 'language') {
    const message = `The header is marked as ${split.language}, but Cadre reads only YAML.`
    return failedRead(path, split.line, 'header-language', message)
  }
  if (split.kind !== 'split') return readHeaderless(path, text, dialect)
  const [parts, header] = readParts(path, text, split)
  const marks = text === file.text ? [] : [markNote(path)]
  if (header.kind === 'broken') return { diagnostics: [...marks, ...header.diagnostics] }
  const fault = faultIn(path, dialect, parts, header)
  if (fault !== undefined) return fault
  const read = readDefinition({
    path,
    dialect: dialect.name,
    line: parts.headerLine,
    entries: header.entries,
    prompt: promptOf(parts.body),
    unseen: [...header.unseen, ...restrictionsInBody(parts, header), ...cutOffRestrictions(parts, header)],
    ...(dialect.synonyms !== undefined && { synonyms: dialect.synonyms }),
    ...(dialect.plugin !== undefined && { plugin: dialect.plugin }),
  })
  const rescues = [...parts.rescues, ...header.rescues].map((rescue) => describeHeaderRepair(rescue, path))
  const hints = header.hints.map((hint) => describeHeaderRepair(hint, path))
  const said = [...rescues, ...hints, ...read.diagnostics]
  const diagnostics = [...marks, ...explainHeaderRepair(header, said), ...said]
  if (read.agent === undefined || (rescues.length === 0 && !header.rescued)) return { ...read, diagnostics }
  const repaired = repairs ? repair(file, dialect, parts, header, read.agent) : undefined
  return { ...read, diagnostics, rescued: true, ...(repaired !== undefined && { repaired }) }
}

/** If the whole header is invalid, its end may be missing. */
function readParts(path: string, text: string, split: Split): [Split, ParsedHeader] {
  const read = (parts: Split) => readHeader({ path, lines: parts.header, firstLine: parts.headerLine })
  const header = read(split)
  if (header.kind === 'read' && !header.rescued) return [split, header]
  const unclosed = findUnclosedHeader(text)
  if (unclosed?.kind !== 'split') return [split, header]
  const other = read(unclosed)
  return other.kind === 'read' && !other.rescued ? [unclosed, other] : [split, header]
}

/** For a header that is not that of an agent: returns what the file is instead. */
function faultIn(
  path: string,
  dialect: Dialect,
  parts: Split,
  { entries, unseen }: Header,
): ParsedAgent | undefined {
  const keys = entries.map(({ written }) => plainKey(written))
  if (isDocumentation(path) && !keys.includes('name') && !keys.includes('description'))
    return { diagnostics: [], ignored: true }
  if (keys.some(isAgentKey) || unseen.length > 0) return undefined
  return isHeaderless(path, dialect)
    ? unrecognisedHeader(path, parts.body, bodyLine(parts))
    : failedRead(path, parts.headerLine, 'not-an-agent', 'The header has no agent keys.')
}

/** Finds restrictions after the header. If the header was misplaced, more of it may follow. */
function restrictionsInBody(parts: Split, { entries }: Header): UnreadRestriction[] {
  const present = new Set(entries.map(({ written }) => plainKey(written)))
  const found = findBodyKeys(parts.body, bodyLine(parts), partToSearch(parts))
  return found.filter(({ key }) => !present.has(key))
}

/** A file that ends within its header may have restricted tools further down. */
function cutOffRestrictions({ body, rescues }: Split, { entries }: Header): UnreadRestriction[] {
  const end = rescues.find(({ code }) => code === 'header-unclosed')
  if (end === undefined || body.trim() !== '') return []
  const saysTools = entries.some(({ written }) => ['tools', 'allowedtools'].includes(plainKey(written)))
  return saysTools ? [] : [{ key: 'tools', restricts: 'tools', line: end.line, isTorn: true }]
}

function partToSearch({ rescues }: Split): BodyPart {
  if (rescues.some(({ code }) => code === 'header-unopened' || code === 'header-unclosed'))
    return 'everywhere'
  return rescues.length > 0 ? 'text' : 'start'
}

function bodyLine({ headerLine, header }: Split): number {
  return headerLine + header.length + 1
}

/** No rescue is silent: if no key is the cause, the header as a whole is reported. */
export function explainHeaderRepair({ rescued, fault }: Header, said: readonly Diagnostic[]): Diagnostic[] {
  return rescued && fault !== undefined && said.every(({ severity }) => severity !== 'warning') ? [fault] : []
}

/** Returns the corrected file if that is certain: it must give the same agent, and be read without a rescue. */
function repair(
  { path }: AgentText,
  dialect: Dialect,
  { notes: before, body, end, header: written, headerLine }: Split,
  { lines, unseen, entries }: Header,
  agent: AgentDefinition,
): string | undefined {
  if (lines === undefined || unseen.length > 0) return undefined
  if (hasSwallowedKeys(written, headerLine, entries)) return undefined
  const text = ['---', ...before, ...lines, '---', body].join(end)
  const again = readMarkdown({ path, text }, dialect, false)
  if (again.agent === undefined || again.rescued === true) return undefined
  return isDeepStrictEqual(withoutSource(again.agent), withoutSource(agent)) ? text : undefined
}

function withoutSource({ source: _, ...agent }: AgentDefinition): object {
  return agent
}

function markNote(path: string): Diagnostic {
  return {
    path,
    line: 1,
    severity: 'info',
    code: 'byte-order-mark',
    message: 'The file starts with a byte order mark, so some programs do not find the header.',
    fix: 'Save it as UTF-8 without a byte order mark.',
  }
}
