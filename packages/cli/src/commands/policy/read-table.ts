import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { CadreError, type DecidedBy, didYouMean, type JsonObject, type Risk, sentenceOf } from '@cadre/core'
import { type Diagnostic, type Located, readYaml } from '@cadre/disk'
import { type Depth, readDepth } from './depth.ts'
import type { Expected, ExpectedCall } from './expected-call.ts'

/** Calls and what is to be decided about them, as a file has them. */
export interface Table {
  readonly path: string
  /** The folder the agents work in, where the table names one: absolute. */
  readonly workspace?: string
  readonly calls: readonly ExpectedCall[]
}

export type ReadTable =
  | { readonly kind: 'table'; readonly table: Table }
  | { readonly kind: 'wrong'; readonly diagnostics: readonly Diagnostic[] }

/** Tables are made by programs, too. */
const most = { letters: 32 * 1_024 * 1_024, nodes: 4_000_000 }

/** Reads a table strictly: a key that is misspelt would check nothing, and nobody would notice. */
export function readTable(file: string): ReadTable {
  const diagnostics: Diagnostic[] = []
  const wrong = (line: number, message: string) =>
    void diagnostics.push({ path: file, line, severity: 'error', code: 'wrong-table', message })
  const text = textOf(file)
  const read = readYaml({ text: text.replace(/^\ufeff/, ''), path: file, most })
  if (read.kind === 'broken') return { kind: 'wrong', diagnostics: read.diagnostics }
  const { root } = read
  const isList = root.items !== undefined
  if (!isList) checkKeys(root, ['defaults', 'calls'], 'a table', wrong)
  const defaults = isList ? undefined : root.fields?.get('defaults')
  if (defaults !== undefined) checkKeys(defaults, [...keys, 'workspace'], 'defaults', wrong)
  const rows = isList ? root : root.fields?.get('calls')
  if (diagnostics.length === 0 && (rows?.items ?? []).length === 0)
    wrong(rows?.line ?? root.line, 'This table has no calls. Add a list of calls under "calls".')
  const calls = (rows?.items ?? []).flatMap((row) => readRow(row, defaults, wrong) ?? [])
  if (diagnostics.length > 0) return { kind: 'wrong', diagnostics }
  const workspace = textIn(defaults, 'workspace')
  const folder = workspace === undefined ? {} : { workspace: path.resolve(path.dirname(file), workspace) }
  return { kind: 'table', table: { path: file, ...folder, calls } }
}

type Complain = (line: number, message: string) => void

const decisions = ['allow', 'ask', 'deny'] as const
const deciders: readonly DecidedBy[] = ['tool', 'agent', 'role', 'hook', 'policy', 'budget', 'approval']
const risks: readonly Risk[] = ['LOW', 'MEDIUM', 'HIGH']
const texts = ['agent', 'tool', 'rule', 'because'] as const
const keys: readonly string[] = [...texts, 'input', 'depth', 'expect', 'by', 'risk']

function readRow(row: Located, defaults: Located | undefined, wrong: Complain): ExpectedCall | undefined {
  if (!checkKeys(row, keys, 'a call', wrong)) return undefined
  const at = (key: string) => row.fields?.get(key) ?? defaults?.fields?.get(key)
  let isRight = true
  const complain = (key: string, message: string) => {
    isRight = false
    wrong(row.fields?.get(key)?.line ?? row.line, message)
  }
  for (const key of texts) {
    const { value = '-' } = at(key) ?? {}
    if (typeof value !== 'string' || value === '') complain(key, `${key} must be text.`)
  }
  const oneOf = <Value extends string>(key: string, known: readonly Value[]) => {
    const { value } = at(key) ?? {}
    if (value === undefined || known.includes(value as Value)) return value as Value | undefined
    complain(key, `${key} must be one of ${known.join(', ')}, not ${JSON.stringify(value)}.`)
    return undefined
  }
  const decision = oneOf('expect', decisions)
  const by = oneOf('by', deciders)
  const risk = oneOf('risk', risks)
  const depth = depthOf(at('depth'), (message) => complain('depth', message))
  for (const key of ['input'] as const)
    if (at(key) !== undefined && at(key)?.fields === undefined)
      complain(key, 'input must be a map with the arguments of the tool.')
  const tool = textIn(row, 'tool') ?? textIn(defaults, 'tool')
  if (isRight && tool === undefined) complain('tool', 'A call requires a tool, in the call or in defaults.')
  if (isRight && decision === undefined) complain('expect', 'A call requires expect: allow, ask or deny.')
  if (!isRight || tool === undefined || decision === undefined) return undefined
  const agent = textIn(row, 'agent') ?? textIn(defaults, 'agent')
  const rule = textIn(row, 'rule') ?? textIn(defaults, 'rule')
  const because = textIn(row, 'because') ?? textIn(defaults, 'because')
  const expected: Expected = { decision, ...(by && { by }), ...(rule && { rule }), ...(risk && { risk }) }
  return {
    line: row.line,
    ...(agent && { agent }),
    ...(depth && { depth }),
    tool,
    input: { ...inputIn(defaults), ...inputIn(row) },
    expected,
    ...(because && { because }),
  }
}

function depthOf(at: Located | undefined, complain: (message: string) => void): Depth | undefined {
  if (at === undefined) return undefined
  const { value } = at
  const names = Array.isArray(value) ? value : undefined
  if (names?.every((name) => typeof name === 'string' && name !== ''))
    return { kind: 'below', names: names as readonly string[] }
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return { kind: 'levels', levels: value }
  if (typeof value !== 'string') {
    complain('depth must be a chain of agents, such as lead>builder or [lead, builder], or a number.')
    return undefined
  }
  try {
    return readDepth(value)
  } catch (error) {
    complain(sentenceOf(error))
    return undefined
  }
}

function textIn(at: Located | undefined, key: string): string | undefined {
  const value = at?.fields?.get(key)?.value
  return typeof value === 'string' ? value : undefined
}

function inputIn(at: Located | undefined): JsonObject {
  return (at?.fields?.get('input')?.value ?? {}) as JsonObject
}

function checkKeys(at: Located, known: readonly string[], what: string, wrong: Complain): boolean {
  if (at.fields === undefined) {
    wrong(at.line, `${what} must be a map with these keys: ${known.join(', ')}.`)
    return false
  }
  const unknown = [...at.fields].filter(([key]) => !known.includes(key))
  for (const [key, { line }] of unknown) {
    const hint = didYouMean(key, known) || `. Known keys: ${known.join(', ')}.`
    wrong(line, `Unknown key ${JSON.stringify(key)} in ${what}${hint}`)
  }
  return unknown.length === 0
}

function textOf(file: string): string {
  try {
    if (statSync(file).isFile()) return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CadreError('usage', `cannot read the table: ${sentenceOf(error)}`, { where: file })
  }
  throw new CadreError('usage', 'a table must be a file.', { where: file })
}
