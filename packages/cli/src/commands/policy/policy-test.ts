import path from 'node:path'
import { type Diagnostic, showDiagnostic } from '@cadre/disk'
import { type ControlFlags, createExplainer, type GateFlags, resolveWorkspace } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { formatCount } from '../../output/numbers.ts'
import { createStyle, type Style, shouldUseColour } from '../../output/style.ts'
import { type CheckedTable, checkTable, type Failure } from './check-table.ts'
import { type PolicyTable, readTable } from './read-table.ts'

export interface TestPolicyFlags extends GateFlags, ControlFlags {
  readonly workspace?: string
  readonly team?: string
  readonly home?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre policy test`. */
export async function testPolicy(
  io: Io,
  flags: TestPolicyFlags,
  ...files: readonly string[]
): Promise<ExitCode> {
  const read = files.map((file) => readTable(path.resolve(io.cwd, file)))
  const faults = read.flatMap((one) => (one.kind === 'wrong' ? one.diagnostics : []))
  if (faults.length > 0) return reportAgentProblems(io, flags, faults)
  const tell = createTeller(io)
  const checked: CheckedTable[] = []
  for (const one of read) if (one.kind === 'table') checked.push(await check(io, flags, one.table, tell))
  const unknown = checked.flatMap(({ diagnostics }) => diagnostics)
  if (unknown.length > 0) return reportAgentProblems(io, flags, unknown)
  if (flags.json) io.stdout.write(`${JSON.stringify(toJson(checked))}\n`)
  else
    io.stdout.write(
      tableText(checked.map(withRelativePath(io)), createStyle(shouldUseColour(io.stdout, io.env))),
    )
  return checked.every(({ failures }) => failures.length === 0) ? exitCodes.done : exitCodes.failed
}

function check(io: Io, flags: TestPolicyFlags, table: PolicyTable, tell: (message: string) => void) {
  const workspace = resolveWorkspace(io, flags.workspace ?? table.workspace)
  return checkTable(table, async (speaker) => {
    const explainer = await createExplainer(io, { ...flags, workspace, ...speaker })
    for (const { message } of explainer.notices) tell(message)
    return explainer
  })
}

/** Messages that apply to every agent are shown once. */
function createTeller(io: Io): (message: string) => void {
  const told = new Set<string>()
  return (message) => {
    if (told.has(message)) return
    told.add(message)
    io.stderr.write(`cadre: ${cleanLine(message)}\n`)
  }
}

function reportAgentProblems(
  io: Io,
  { json }: TestPolicyFlags,
  diagnostics: readonly Diagnostic[],
): ExitCode {
  const [first] = diagnostics
  const message = first === undefined ? '' : showDiagnostic(first)
  if (json)
    io.stdout.write(`${JSON.stringify({ type: 'error', code: 'configuration', message, diagnostics })}\n`)
  else for (const one of diagnostics) io.stderr.write(`cadre: ${cleanLine(showDiagnostic(one))}\n`)
  return exitCodes.usage
}

function withRelativePath({ cwd }: Io) {
  return (table: CheckedTable): CheckedTable => {
    const relative = path.relative(cwd, table.path)
    return { ...table, path: relative.startsWith('..') ? table.path : relative }
  }
}

function toJson(checked: readonly CheckedTable[]): object {
  const calls = checked.reduce((sum, table) => sum + table.calls, 0)
  const failed = checked.reduce((sum, { failures }) => sum + failures.length, 0)
  return {
    files: checked.map(({ path: file, calls: count, failures }) => ({
      path: file,
      calls: count,
      failures: failures.map(({ call: { line, tool, input, expected, because }, got }) => ({
        line,
        tool,
        input,
        expected,
        got,
        ...(because !== undefined && { because }),
      })),
    })),
    summary: { calls, passed: calls - failed, failed },
  }
}

/** Lists the failed calls with their place, then the totals. */
function tableText(tables: readonly CheckedTable[], style: Style): string {
  const failures = tables.flatMap(({ path, failures: found }) =>
    found.map((failure) => failureText(path, failure, style)),
  )
  const calls = tables.reduce((sum, table) => sum + table.calls, 0)
  const failed = failures.length
  const sum = `${formatCount(calls, 'call')}: ${calls - failed} passed, ${failed} failed`
  return `${failures.join('')}${failed === 0 ? style.green(sum) : style.red(sum)}\n`
}

function failureText(path: string, { call, got, differences }: Failure, style: Style): string {
  const { line, tool, input, because } = call
  const what = `${tool} ${JSON.stringify(input)}`
  const who = got.chain.length === 0 ? '' : `${got.chain.join(' › ')}: `
  const lines = [
    `${path}:${line}: ${differences.join('; ')}`,
    `    ${who}${what}`,
    `    ${got.decision} by ${got.by}, ${got.rule}: ${got.reason}`,
    ...(because === undefined ? [] : [`    because: ${because}`]),
  ]
  const [place = '', ...rest] = lines.map((text) => text.replace(/\S.*/s, (part) => cleanLine(part)))
  return `${style.bold(place)}\n${rest.join('\n')}\n`
}
