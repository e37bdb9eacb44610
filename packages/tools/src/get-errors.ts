import type { Work } from './built-in.ts'
import { confined } from './confine.ts'
import { findProblems } from './find-problems.ts'
import type { CheckOptions, GetErrorsInput } from './get-errors-tool.ts'
import { Refusal } from './refusal.ts'
import { runProcess } from './run-process.ts'
import { cut } from './text.ts'

const mostProblems = 100
const mostOutput = 8_000

export function getErrors(check: CheckOptions | undefined): Work<GetErrorsInput> {
  return {
    async run({ path }, { workspace }, signal) {
      const [program, ...args] = check?.command ?? []
      if (check === undefined || program === undefined) {
        throw new Refusal(
          'No check is configured; a person can add one to config.yaml, for example check: {command: [npx, tsc, --noEmit]}.',
        )
      }
      const root = await confined({ workspace, path: '.' })
      const only = path ? (await confined({ workspace, path })).shown : '.'
      const seconds = check.timeoutSeconds ?? 300
      const end = await runProcess(
        { command: [program, ...args], cwd: root.real, timeoutMs: seconds * 1_000 },
        signal,
      )
      if (end.kind === 'timed_out')
        throw new Refusal(`The check ${program} took longer than ${seconds} seconds and was stopped.`)
      const output = `${end.stdout}\n${end.stderr}`
      const problems = findProblems(output, root.real)
      const wanted = problems.filter(
        (problem) => only === '.' || problem.path === only || problem.path.startsWith(`${only}/`),
      )
      if (wanted.length > 0) return { content: shown(wanted) }
      if (end.code === 0) return { content: only === '.' ? 'No errors.' : `No errors in ${only}.` }
      if (problems.length > 0) return { content: `No errors in ${only}, but ${problems.length} elsewhere.` }
      return {
        content: `The check ended with code ${end.code}, and nothing in its output names a file:\n${lastPart(output)}`,
      }
    },
  }
}

function shown(problems: ReturnType<typeof findProblems>): string {
  const lines = problems
    .slice(0, mostProblems)
    .map(({ path, line, message }) => `${path}:${line}: ${cut(message, 500)}`)
  if (problems.length > mostProblems) lines.push(`[${problems.length - mostProblems} more]`)
  return lines.join('\n')
}

function lastPart(output: string): string {
  const text = output.trim()
  return text.length > mostOutput ? `…${text.slice(-mostOutput)}` : text
}
