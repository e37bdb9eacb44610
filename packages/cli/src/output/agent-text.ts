import type { AgentView, BoundaryView, Sourced } from '@cadre/runtime'
import { cleanLine, cleanText } from './clean-text.ts'
import type { Style } from './style.ts'
import { textTable } from './text-table.ts'

/** Describes an agent for a person. Empty parts are omitted, except for tools and targets. */
export function agentText(view: AgentView, style: Style): string {
  const { shadows, tools, targets, model } = view
  const { path, line, dialect } = view.source
  const place = line === undefined ? path : `${path}:${line}`
  const parts = [
    `${style.bold(cleanLine(view.name))} ${style.dim(dialect === place ? dialect : `${dialect}, ${place}`)}`,
    cleanLine(view.description),
    ...shadows.map((other) => `takes precedence over ${other}`),
    ...(view.refused === undefined ? [] : [style.red(cleanLine(view.refused))]),
    ...view.diagnostics.map((line) => style.yellow(cleanLine(line))),
    '',
    section('tools', tools.length === 0 ? 'none' : undefined, style),
    tools.length === 0
      ? undefined
      : table([
          ['TOOL', 'CLASS', 'EFFECT', 'BY', 'WHERE'],
          ...tools.map(({ name, class: kind, effect, named, from }) => [
            name,
            kind,
            effect,
            named.join(', ') || 'all',
            from,
          ]),
        ]),
    ...optional('denied tools', view.disallowed, ({ name, by, from }) => [name, `by ${by}`, from], style),
    ...optional(
      'listed but unavailable',
      view.unavailable,
      ({ name, reason, from }) => [name, reasons[reason], from],
      style,
    ),
    ...optional(
      'its own rules (the last match applies)',
      view.permissions,
      ({ action, tool, pattern, tools: about, from }) => [
        action,
        `${tool} ${pattern}`,
        about.join(', ') || 'matches no tool',
        from,
      ],
      style,
    ),
    ...boundaryLines(view.boundary, style),
    section('can delegate to', `${listNames(targets.entry)} ${source(targets.from, style)}`, style),
    section('as a delegate', listNames(targets.delegated), style),
    ...optional('cannot delegate to', byReason(targets.refused), (row) => row, style),
    section(
      'model',
      `${model.used ?? style.red(cleanLine(model.problem ?? ''))}${refusedRow(model.insteadOf)} ${source(model.from, style)}`,
      style,
    ),
    ...(model.warning === undefined ? [] : [section('', style.yellow(cleanLine(model.warning)), style)]),
    ...(model.preferences.length > 1 ? [section('prefers', model.preferences.join(', '), style)] : []),
    section('limits', undefined, style),
    table(view.limits.map(({ name, value, unit, from }) => [name, `${value} ${unit}`, from])),
    section('user-invocable', formatSourced(view.userInvocable, style, yesNo), style),
    section('agent-invocable', formatSourced(view.modelInvocable, style, yesNo), style),
    section(
      'workspace',
      formatSourced(view.isolation, style, (value) => value),
      style,
    ),
    section('runs in background', formatSourced(view.background, style, yesNo), style),
    ...list('required sections', view.requiredSections, style),
    ...optional(
      'handoffs',
      view.handoffs,
      ({ label, agent, send, exists, from }) => [
        label,
        `→ ${agent}`,
        exists ? (send ? 'sends immediately' : '') : 'no such agent',
        from,
      ],
      style,
    ),
    ...list('hooks', view.hooks, style),
    ...list('MCP servers', view.mcpServers, style),
    ...optional('other keys (not used)', view.unknown, ({ value, from }) => [value, from], style),
  ]
  return `${parts
    .filter((part) => part !== undefined)
    .map(cleanStyled)
    .join('\n')
    .trimEnd()}\n`
}

/** Empty for an agent without a boundary. */
function boundaryLines({ writes, commands, artifact }: BoundaryView, style: Style): string[] {
  const files = { none: 'no file', artifact: `only ${cleanLine(artifact ?? '')}`, free: '' }
  const programs = { none: 'none', copy: 'on a copy of the workspace', free: '' }
  return [
    ...(writes.value === 'free'
      ? []
      : [
          section(
            'writes',
            formatSourced(writes, style, (value) => files[value]),
            style,
          ),
        ]),
    ...(commands.value === 'free'
      ? []
      : [
          section(
            'commands',
            formatSourced(commands, style, (value) => programs[value]),
            style,
          ),
        ]),
  ]
}

const reasons = {
  unknown: 'unknown tool',
  elsewhere: 'a tool of another program',
  server: 'from an MCP server or an extension',
  'not-here': 'not available in this process',
  delegated: 'only as a delegate',
}

const width = 20

function section(title: string, text: string | undefined, style: Style): string {
  return text === undefined ? style.bold(title) : `${style.bold(title.padEnd(width))} ${text}`
}

function table(rows: readonly (readonly string[])[]): string | undefined {
  if (rows.length === 0) return undefined
  const [first = [], ...rest] = rows.map((row) => row.map(cleanLine))
  return textTable(first, rest)
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}

function optional<T>(
  title: string,
  rows: readonly T[],
  row: (one: T) => readonly string[],
  style: Style,
): (string | undefined)[] {
  return rows.length === 0 ? [] : [section(title, undefined, style), table(rows.map(row))]
}

function list(title: string, { value, from }: Sourced<readonly string[]>, style: Style): string[] {
  return value.length === 0
    ? []
    : [section(title, `${value.map(cleanLine).join(', ')} ${source(from, style)}`, style)]
}

function formatSourced<T>({ value, from }: Sourced<T>, style: Style, show: (value: T) => string): string {
  return `${show(value)} ${source(from, style)}`
}

/** The source of a value, shown after it. */
function source(from: string, style: Style): string {
  return style.dim(`(${cleanLine(from)})`)
}

/** One row for all agents that cannot be started for the same reason. */
function refusedRow(name: string | undefined): string {
  return name === undefined ? '' : `, the default, instead of ${cleanLine(name)}`
}

function byReason(refused: AgentView['targets']['refused']): string[][] {
  const names = new Map<string, string[]>()
  for (const { name, reason } of refused) names.set(reason, [...(names.get(reason) ?? []), name])
  return [...names].map(([reason, all]) => [all.join(', '), reason])
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no'
}

function listNames(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map(cleanLine).join(', ')
}

/** Text from files was already cleaned; only Cadre's own colours remain. */
function cleanStyled(text: string): string {
  return text.includes('\x1b') ? text : cleanText(text)
}
