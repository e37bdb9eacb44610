import { isDeepStrictEqual } from 'node:util'
import { findBodyKeys } from '../header/body-keys.ts'
import type { HeaderEntry } from '../header/find-unread-restrictions.ts'
import { hasSwallowedKeys } from '../header/has-swallowed-keys.ts'
import { describeHeaderRepair, type HeaderRepair } from '../header/header-repair.ts'
import { isBlank, isComment } from '../header/key-line.ts'
import { plainKey } from '../header/known-keys.ts'
import { commonLineEnding, linesOf } from '../header/lines.ts'
import { readHeader } from '../header/read-agent-header.ts'
import type { Dialect } from './dialects.ts'
import { type ParsedAgent, readDefinition } from './read-definition.ts'
import { type AgentText, explainHeaderRepair } from './read-markdown.ts'

/** Reads an agent in YAML. Never throws. */
export function readTemplate(file: AgentText, dialect: Dialect, repairs = true): ParsedAgent {
  const { path } = file
  const all = linesOf(file.text.replace(/^\ufeff+/, ''))
  const { lines, first, rest, rescues } = documentIn(all.map(({ text }) => text))
  const header = readHeader({
    path,
    lines,
    firstLine: first + 1,
    ...(dialect.synonyms !== undefined && { synonyms: dialect.synonyms }),
  })
  if (header.kind === 'broken') return { diagnostics: header.diagnostics }
  const entries = unwrapEntries(header.entries)
  const fault = faultIn(entries)
  if (fault !== undefined) {
    const line = entries[0]?.field.line ?? 1
    const fix = 'Start with id: and system_prompt:.'
    return { diagnostics: [{ path, line, severity: 'error', code: 'not-an-agent', message: fault, fix }] }
  }
  const read = readDefinition({
    path,
    dialect: dialect.name,
    line: first + 1,
    entries,
    synonyms: { ...dialect.synonyms, ...nameKeys(entries) },
    unseen: [...header.unseen, ...findBodyKeys(rest.join('\n'), first + lines.length + 1, 'everywhere')],
  })
  const notes = [...rescues, ...header.rescues].map((rescue) => describeHeaderRepair(rescue, path))
  const hints = header.hints.map((hint) => describeHeaderRepair(hint, path))
  const said = [...notes, ...hints, ...read.diagnostics]
  const diagnostics = [...explainHeaderRepair(header, said), ...said]
  if (read.agent === undefined || (notes.length === 0 && !header.rescued)) return { ...read, diagnostics }
  const isCertain = header.unseen.length === 0 && !hasSwallowedKeys(lines, first + 1, header.entries)
  const repaired = repairs
    ? repair(path, dialect, isCertain ? header.lines : undefined, commonLineEnding(all), read)
    : undefined
  return { ...read, diagnostics, rescued: true, ...(repaired !== undefined && { repaired }) }
}

/** Returns the first document of a file, without a code block around it. */
function documentIn(texts: readonly string[]): {
  readonly lines: readonly string[]
  /** The first line of it. */
  readonly first: number
  /** The lines after it. */
  readonly rest: readonly string[]
  readonly rescues: readonly HeaderRepair[]
} {
  const rescues: HeaderRepair[] = []
  let first = texts.findIndex((line) => !isBlank(line) && !isComment(line))
  if (first === -1) return { lines: texts, first: 0, rest: [], rescues }
  let end = texts.length
  const fence = /^(`{3,}|~{3,})/.exec(texts[first] as string)?.[1]
  if (fence !== undefined) {
    rescues.push({ code: 'header-fenced', line: first + 1 })
    first++
    const close = texts.findIndex((line, index) => index >= first && line.trimEnd() === fence)
    if (close !== -1) end = close
  } else first = 0
  const start = texts.findIndex((line, index) => index >= first && !isBlank(line) && !isComment(line))
  const next = texts.findIndex(
    (line, index) => index > start && index < end && /^(?:---|\.\.\.)\s*$/.test(line),
  )
  if (next !== -1) {
    if (texts.slice(next, end).some((line) => /[^\s.-]/.test(line)))
      rescues.push({ code: 'yaml-documents', line: next + 1 })
    end = next
  }
  return { lines: texts.slice(first, end), first, rest: texts.slice(end), rescues }
}

const wrapperKeys = ['apiversion', 'kind', 'spec']

/** `{apiVersion, kind: Agent, metadata: {…}, spec: {…}}`: uses the keys of the two groups. */
function unwrapEntries(entries: readonly HeaderEntry[]): readonly HeaderEntry[] {
  if (!entries.some(({ written }) => wrapperKeys.includes(plainKey(written)))) return entries
  return entries.flatMap((entry) => {
    const { fields } = entry.field
    const isGroup = ['metadata', 'spec'].includes(plainKey(entry.written))
    return isGroup && fields !== undefined
      ? [...fields].map(([written, field]) => ({ written, field }))
      : [entry]
  })
}

function faultIn(entries: readonly HeaderEntry[]): string | undefined {
  const kind = entries.find(({ written }) => plainKey(written) === 'kind')?.field.value
  const hasVersion = entries.some(({ written }) => plainKey(written) === 'apiversion')
  if (hasVersion && typeof kind === 'string' && kind.toLowerCase() !== 'agent')
    return `This is a ${kind}, not an agent.`
  const own = ['id', 'agentid', 'systemprompt', 'prompt', 'description']
  return entries.some(({ written }) => own.includes(plainKey(written)))
    ? undefined
    : 'This file has no agent template keys.'
}

/** The id is the name of the agent; a separate name is for people, and kept. */
function nameKeys(entries: readonly HeaderEntry[]): { readonly [spelling: string]: string } {
  const present = new Set(entries.map(({ written }) => plainKey(written)))
  const key = ['id', 'agentid'].find((candidate) => present.has(candidate))
  return key === undefined ? {} : { [key]: 'name', name: 'displayname' }
}

function repair(
  path: string,
  dialect: Dialect,
  lines: readonly string[] | undefined,
  end: string,
  { agent }: ParsedAgent,
): string | undefined {
  if (lines === undefined) return undefined
  const text = lines.join(end) + (lines.at(-1) === '' ? '' : end)
  const again = readTemplate({ path, text }, dialect, false)
  if (again.agent === undefined || again.rescued === true) return undefined
  const [before, after] = [agent, again.agent].map((one) => ({ ...one, source: undefined }))
  return isDeepStrictEqual(before, after) ? text : undefined
}
