import {
  type Finding,
  type HostEffect,
  type HostName,
  hosts,
  type LintedFile,
  type LintResult,
  type LintSummary,
} from '@cadre/agents'
import type { FixedFile } from '../commands/lint/fix-files.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import { formatCount } from './numbers.ts'
import type { Style } from './style.ts'
import { textTable } from './text-table.ts'

export interface LintTextRequest {
  readonly result: LintResult
  readonly fixed: readonly FixedFile[]
  readonly style: Style
  /** The requested hosts: their rows are shown for every file, in any folder. */
  readonly only?: readonly HostName[] | undefined
  readonly dryRun: boolean
  /** Lower severities are only counted. */
  readonly level: Finding['severity']
  /** The maximum width of the host table. */
  readonly columns: number
}

const ranks = { info: 0, warning: 1, error: 2 }

/** The changes, then the findings by file, then the host table, then the totals. */
export function formatLintReport(request: LintTextRequest): string {
  const { result, fixed, style, only, dryRun, level, columns } = request
  const isShown = ({ severity }: Finding) => ranks[severity] >= ranks[level]
  const findings = result.files.flatMap((file) => {
    const lines = file.diagnostics.filter(isShown).map((one) => findingText(file, one, style))
    return lines.length === 0 ? [] : `${lines.join('\n')}\n`
  })
  const parts = [
    ...fixed.map((file) => fixText(file, style, dryRun)),
    ...findings,
    level === 'error' && only === undefined ? '' : hostTable(result.files, only, columns),
    `${summaryText(result.summary, style)}${hiddenCountText(result, level)}\n`,
  ]
  return parts.filter((part) => part !== '').join('\n')
}

/** How to show what was only counted. */
function hiddenCountText({ summary: { warnings, infos } }: LintResult, level: Finding['severity']): string {
  if (level !== 'info' && infos > 0) return '; show everything with --level info'
  return level === 'error' && warnings > 0 ? '; show warnings with --level warning' : ''
}

function findingText(
  { path }: LintedFile,
  { severity, code, message, line, fix }: Finding,
  style: Style,
): string {
  const paint = { error: style.red, warning: style.yellow, info: style.cyan }[severity]
  const place = line === undefined ? path : `${path}:${line}`
  const todo = fix === undefined ? '' : `\n    ${style.dim(cleanLine(fix))}`
  return `${cleanLine(place)} ${paint(severity)} ${style.bold(code)} ${cleanLine(message)}${todo}`
}

function fixText({ path, diff, written, refused }: FixedFile, style: Style, dryRun: boolean): string {
  const shown = cleanLine(path)
  if (refused !== undefined) return `${shown}: not changed: ${cleanLine(refused)}\n`
  const lines = (diff ?? '')
    .trimEnd()
    .split('\n')
    .filter((line) => !/^=+$/.test(line))
  const marked = lines.map((line) => {
    // With an invisible character, a line would seem to change into itself.
    const text = cleanText(line.replace('\ufeff', '<BOM>').replace('\r', ''))
    if (/^(?:\+\+\+|---) /.test(line)) return style.bold(text)
    return line.startsWith('+') ? style.green(text) : line.startsWith('-') ? style.red(text) : text
  })
  const what = written ? 'fixed' : dryRun ? 'would be fixed' : 'not written'
  return `${shown}: ${what}\n${marked.join('\n')}\n`
}

interface Row {
  readonly effect: HostEffect['effect']
  readonly note: string
  readonly keys: Set<string>
  readonly files: Set<string>
}

/** Equal rows are merged, with all their keys; hosts with the same rows share them. */
function hostTable(
  files: readonly LintedFile[],
  only: readonly HostName[] | undefined,
  columns: number,
): string {
  const shared = new Map<string, { readonly hosts: HostName[]; readonly row: Row }>()
  for (const host of hosts) {
    const looked = files.filter((file) => only !== undefined || host.dialects.includes(file.dialect))
    for (const row of rowsOf(host.name, looked)) {
      const id = JSON.stringify([row.effect, row.note, [...row.keys], [...row.files]])
      const same = shared.get(id)
      if (same === undefined) shared.set(id, { hosts: [host.name], row })
      else same.hosts.push(host.name)
    }
  }
  if (shared.size === 0) return ''
  const head = ['EFFECT', 'KEY', 'FILES', 'HOST', 'NOTE']
  const cells = [...shared.values()].map(({ hosts: by, row: { effect, keys, files: of, note } }) =>
    [effect, keysText([...keys]), String(of.size), by.join(', '), note].map(cleanLine),
  )
  const [first = '', ...lines] = textTable(head, cells, columns).trimEnd().split('\n')
  const rows = [...shared.values()].flatMap(({ row }, index) => [
    lines[index] ?? '',
    ...filesText([...row.files]),
  ])
  return `Keys that hosts ignore, read differently or reject:\n${[first, ...rows].join('\n')}\n`
}

const maxFiles = 3

/** The files of a row, below it; only the first of many. */
function filesText(paths: readonly string[]): string[] {
  const [first = ''] = paths
  const shown = paths.length <= maxFiles ? paths : [`${first}, … (${paths.length})`]
  return shown.map((path) => `    ${cleanLine(path)}`)
}

function rowsOf(host: HostName, files: readonly LintedFile[]): Iterable<Row> {
  const rows = new Map<string, Row>()
  for (const file of files) {
    for (const { key, effect, note = '' } of file.hosts?.[host] ?? []) {
      const general = note.replace(/ on line \d+/, '')
      const id = `${effect} ${general}`
      const row = rows.get(id) ?? { effect, note: general, keys: new Set(), files: new Set() }
      row.keys.add(key)
      row.files.add(file.path)
      rows.set(id, row)
    }
  }
  return rows.values()
}

const maxKeys = 5

function keysText(keys: readonly string[]): string {
  const shown = keys.slice(0, maxKeys).map((key) => (key === '*' ? 'whole file' : key.slice(0, 24)))
  return keys.length > maxKeys ? `${shown.join(', ')}, … (${keys.length})` : shown.join(', ')
}

function summaryText(
  { files, ok, rescued, failed, errors, warnings, infos }: LintSummary,
  style: Style,
): string {
  if (files === 0)
    return 'No agent files found. To check other Markdown files, name them or a folder called agents.'
  const states = `${formatCount(files, 'file')}: ${ok} ok, ${rescued} rescued, ${failed} failed`
  const found = `${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}, ${formatCount(infos, 'info')}`
  const paint = errors > 0 ? style.red : warnings > 0 ? style.yellow : style.green
  return `${states} · ${paint(found)}`
}
