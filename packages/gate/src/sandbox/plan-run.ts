import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { List, Stage, Word } from '../commands/line/line.ts'
import { searchFolders } from '../commands/resolve-program.ts'

export interface PlanRequest {
  readonly plan: List
  readonly cwd: string
  /** The workspace's real path. */
  readonly root: string
  /** Folders besides it in which no program is looked for. */
  readonly excluded: readonly string[]
  readonly sandboxed: boolean
  readonly environment: NodeJS.ProcessEnv
}

let source: string | undefined

/** The program that runs a plan. Given as a text: inside the sandbox the place of its file may not be there. */
export function runnerWords(): readonly string[] {
  source ??= `${readFileSync(
    path.join(
      path.dirname(createRequire(import.meta.url).resolve('@cadre/gate/package.json')),
      'runner',
      'run-plan.mjs',
    ),
    'utf8',
  )}\nawait runFromInput()\n`
  return [process.execPath, '--no-warnings', '--input-type=module', '-e', source]
}

/** What the runner reads from its standard input. */
export function planInput({ plan, cwd, root, excluded, sandboxed, environment }: PlanRequest): string {
  const folders = searchFolders({ path: environment['PATH'] ?? '', excluded: [root, ...excluded] })
  return JSON.stringify({
    list: plan.map((step) => ({ ...step, stages: step.stages.map(hardened) })),
    cwd,
    roots: [root, ...(sandboxed ? ['/tmp'] : [])],
    path: folders,
    environment: { ...environment, PATH: folders.join(path.delimiter), ...quietGit },
  })
}

const settings: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['sequence.editor', 'false'],
  ['safe.bareRepository', 'explicit'],
]

/** Settings of a repository name programs. Git starts none of them for a command that rules alone have allowed. */
const quietGit: NodeJS.ProcessEnv = {
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
}

const differs = /^(?:diff|log|show|whatchanged|diff-tree|diff-index|diff-files|range-diff|reflog)$/

/** `git diff` without programs that show differences, and the same for whatever prints some. */
function hardened(stage: Stage): Stage {
  if (stage.kind === 'group')
    return { ...stage, list: stage.list.map((step) => ({ ...step, stages: step.stages.map(hardened) })) }
  if (stage.words[0]?.text !== 'git') return stage
  let at = 1
  while (stage.words[at]?.text.startsWith('-')) at += stage.words[at]?.text === '-C' ? 2 : 1
  const command = stage.words[at]?.text ?? ''
  const second = stage.words[at + 1]?.text
  const behind =
    command === 'stash' && second === 'show'
      ? at + 2
      : command === 'reflog' && second === 'show'
        ? at + 2
        : at + 1
  const added =
    differs.test(command) || (command === 'stash' && second === 'show')
      ? ['--no-ext-diff', '--no-textconv']
      : command === 'grep' || command === 'blame' || command === 'annotate'
        ? ['--no-textconv']
        : []
  const words: Word[] = added.map((text) => ({ text }))
  return { ...stage, words: [...stage.words.slice(0, behind), ...words, ...stage.words.slice(behind)] }
}

/** What would change the runner itself, and not what it runs. */
export function withoutNode(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:NODE_|UV_|LD_|DYLD_)/.test(name)),
  )
}
