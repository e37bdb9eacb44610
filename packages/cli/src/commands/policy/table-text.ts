import { cleanLine } from '../../output/clean-text.ts'
import { counted } from '../../output/numbers.ts'
import type { Style } from '../../output/style.ts'
import type { CheckedTable, Failure } from './check-table.ts'

/** What is not as expected, call by call with its place, then the sum. */
export function tableText(tables: readonly CheckedTable[], style: Style): string {
  const failures = tables.flatMap(({ path, failures: found }) =>
    found.map((failure) => failureText(path, failure, style)),
  )
  const calls = tables.reduce((sum, table) => sum + table.calls, 0)
  const failed = failures.length
  const sum = `${counted(calls, 'call')}: ${calls - failed} as expected, ${failed} not`
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
