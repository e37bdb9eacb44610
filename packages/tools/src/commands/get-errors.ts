import { type Infer, object, optional, renameArguments, string, type Tool } from '@cadre/core'
import { describeLimit, endLeftoverCommand, type PathResolver } from '@cadre/gate'
import { builtIn, type ToolImplementation } from '../built-in.ts'
import { confinePath } from '../files/confine-path.ts'
import { truncateText } from '../files/text.ts'
import { Refusal } from '../refusal.ts'
import { delayValidation } from '../tasks/delay-validation.ts'
import type { CommandOptions } from './command-options.ts'
import { findProblems } from './find-problems.ts'
import { createRunInWorkspace, type WorkspaceEnd } from './run-in-workspace.ts'

/** The command that checks a workspace, as words, without a shell. */
export interface CheckOptions {
  readonly command: readonly string[]
  readonly timeoutSeconds?: number
}

const input = object({ path: optional(string('Only errors in this file or folder')) })

export type GetErrorsInput = Infer<typeof input>

export function getErrorsTool(
  check: CheckOptions | undefined,
  places: PathResolver,
  options: CommandOptions = {},
): Tool {
  return builtIn<GetErrorsInput>({
    name: 'get_errors',
    description:
      "Run this workspace's configured check (compiler, linter) and list its errors as path:line: message.",
    class: 'execute',
    effect: 'execute',
    argumentAliases: { filePath: 'path', file_path: 'path' },
    reshape: firstPath,
    input: delayValidation(input, options.sandbox),
    paths: ({ path }) => [path || '.'],
    endLeftover: ({ key }) => endLeftoverCommand(key, options.home),
    load: () => getErrors(check, places, options),
  })
}

function firstPath(input: Record<string, unknown>): Record<string, unknown> {
  const { filePaths, ...rest } = input
  if (!Array.isArray(filePaths)) return rest
  return filePaths.length === 1
    ? renameArguments({ ...rest, filePaths: filePaths[0] as unknown }, { filePaths: 'path' })
    : rest
}

const maxProblems = 100
const maxOutput = 8_000

// The output bytes to keep, unless the policy sets less: they must include the first hundred problems.
const readOutput = 1_000_000

/**
 * A person configured the command, but it runs scripts and settings of the workspace, which agents can write. So it runs
 * with the same restrictions as agents' commands.
 */
function getErrors(
  check: CheckOptions | undefined,
  places: PathResolver,
  options: CommandOptions,
): ToolImplementation<GetErrorsInput> {
  const run = createRunInWorkspace(places, { ...options, maxOutput: options.maxOutput ?? readOutput })
  return {
    async run({ path }, context, signal) {
      const [program] = check?.command ?? []
      if (check === undefined || program === undefined) {
        throw new Refusal(
          'No check is configured. A person can add one to config.yaml, for example check: {command: [npx, tsc, --noEmit]}.',
        )
      }
      const root = confinePath({ context, path: '.' })
      const only = path ? confinePath({ context, path }).shown : '.'
      const end = await run(
        {
          command: check.command,
          cwd: root.real,
          workspace: root.root,
          seconds: check.timeoutSeconds ?? 300,
          what: 'The check',
        },
        context,
        signal,
      )
      requireEnd(end, program)
      const { output, code, touched } = end
      const problems = findProblems(output, end.root)
      const wanted = problems.filter(
        (problem) => only === '.' || problem.path === only || problem.path.startsWith(`${only}/`),
      )
      const content = () => {
        if (wanted.length > 0) return formatProblems(wanted)
        if (code === 0) return only === '.' ? 'No errors.' : `No errors in ${only}.`
        if (problems.length > 0) return `No errors in ${only}, but ${problems.length} elsewhere.`
        return `The check exited with code ${code}, and its output does not name a file:\n${lastPart(output)}`
      }
      return touched === undefined
        ? { content: content() }
        : { content: `${touched}\n${content()}`, failed: true }
    },
  }
}

/** Shell exit codes for a missing or non-executable program. */
const notFound = new Set([126, 127])

function requireEnd({ kind, code, output, seconds, limit }: WorkspaceEnd, program: string): void {
  if (kind === 'timed_out')
    throw new Refusal(`The check ${program} took longer than ${seconds} seconds, so Cadre stopped it.`)
  if (kind === 'cancelled') throw new Refusal('The check was cancelled.')
  if (kind === 'flooded')
    throw new Refusal(`The check ${program} printed too much output, so Cadre stopped it.`)
  if (limit !== undefined) throw new Refusal(`The check ${program} failed. ${describeLimit(limit)}`)
  if (kind === 'not_started') throw new Refusal(output)
  if (code !== null && notFound.has(code) && /^(?:\S*sh|\/\S+): .*exec: /m.test(output))
    throw new Refusal(`Cannot start ${program}: ${lastPart(output)}`)
}

function formatProblems(problems: ReturnType<typeof findProblems>): string {
  const lines = problems
    .slice(0, maxProblems)
    .map(({ path, line, message }) => `${path}:${line}: ${truncateText(message, 500)}`)
  if (problems.length > maxProblems) lines.push(`[${problems.length - maxProblems} more]`)
  return lines.join('\n')
}

function lastPart(output: string): string {
  const text = output.trim()
  return text.length > maxOutput ? `…${text.slice(-maxOutput)}` : text
}
