import { CadreError } from '@cadre/core'
import { homeOf } from '@cadre/runtime'
import { type FoundProblem, openQueryFiles, openTaskFiles, parseQuery } from '@cadre/tasks'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import type { TasksFlags } from './tasks.ts'

/** `cadre tasks --lint`: reports all problems in task files. */
export function lintTasks(io: Io, flags: TasksFlags, named: string | undefined): ExitCode {
  const { files, problems } = named === undefined ? lintHome(io, flags) : lintFiles(io, named)
  if (flags.json) io.stdout.write(`${JSON.stringify(problems)}\n`)
  else if (problems.length > 0)
    io.stdout.write(problems.map((problem) => `${problemLine(problem)}\n`).join(''))
  else if (files === 0) io.stdout.write('No task files found.\n')
  else io.stdout.write(`No problems in ${files} ${files === 1 ? 'file' : 'files'}.\n`)
  return problems.some(({ severity }) => severity === 'error') ? exitCodes.failed : exitCodes.done
}

/** `file:line:column: error TD050 …` */
export function problemLine({ file, line, column, severity, code, message }: FoundProblem): string {
  return cleanLine(`${file}:${line}:${column}: ${severity} ${code} ${message}`)
}

interface LintedTasks {
  readonly files: number
  readonly problems: readonly FoundProblem[]
}

/** In a home, task ids are unique across files. */
function lintHome(io: Io, flags: TasksFlags): LintedTasks {
  const tasks = openTaskFiles({ folder: homeOf(io, flags.home).at('tasks') })
  const names = tasks.list()
  const problems = names.flatMap((name) =>
    tasks.problems(name).map((problem) => ({ ...problem, file: `tasks/${name}` })),
  )
  return { files: names.length, problems }
}

function lintFiles(io: Io, named: string): LintedTasks {
  const files = openQueryFiles({ folder: io.cwd })
  const names = files.match(fileOf(named))
  const problems = names.flatMap((file) => files.read(file).problems.map((problem) => ({ ...problem, file })))
  return { files: names.length, problems }
}

/** A file, a pattern, or a whole query, whose file is used. */
function fileOf(named: string): string {
  if (!/^\s*(?:select|insert|update|delete)\s/i.test(named)) return named
  const query = parseQuery(named)
  if (query.kind === 'insert')
    throw new CadreError(
      'usage',
      '--lint does not accept an INSERT query. Pass the file to check: cadre tasks --lint FILE',
    )
  return query.file.name
}
