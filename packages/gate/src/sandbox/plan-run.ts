import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { List, Stage, Word } from '../commands/line/line.ts'
import { describeCommand } from '../commands/programs/describe-command.ts'
import { gitCommandAt } from '../commands/programs/describe-git.ts'
import { searchFolders } from '../commands/resolve-program.ts'

export interface PlanRequest {
  readonly plan: List
  readonly cwd: string
  /** The real path of the workspace. */
  readonly root: string
  /** Other folders in which no program is searched for. */
  readonly excluded: readonly string[]
  readonly sandboxed: boolean
  readonly environment: NodeJS.ProcessEnv
}

let source: string | undefined

/** The program that runs a plan, as text: its file may not be visible inside the sandbox. */
export function runnerCommand(): readonly string[] {
  if (source === undefined) {
    const gate = path.dirname(createRequire(import.meta.url).resolve('@cadre/gate/package.json'))
    source = `${readFileSync(path.join(gate, 'runner', 'run-plan.mjs'), 'utf8')}\nawait runFromInput()\n`
  }
  return [process.execPath, '--no-warnings', '--input-type=module', '-e', source]
}

/** The standard input of the runner. */
export function planInput({ plan, cwd, root, excluded, sandboxed, environment }: PlanRequest): string {
  const folders = searchFolders({ path: environment['PATH'] ?? '', excluded: [root, ...excluded] })
  return JSON.stringify({
    list: plan.map((step) => ({ ...step, stages: step.stages.map(hardenStage) })),
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
  ['log.showSignature', 'false'],
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
]

/** Repository settings can name programs. Git must start none of them for a command that only rules have allowed. */
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

const plain = ['--no-ext-diff', '--no-textconv']
/** A submodule has its own settings. */
const submoduleOptions = '--ignore-submodules=dirty'

/** Options for git commands, so that none of them starts an external pager or diff program. */
const gitCommandOptions: readonly (readonly [commands: RegExp, options: readonly string[]])[] = [
  [/^status$/, [submoduleOptions]],
  [/^diff(?:-index|-files)?$/, [...plain, submoduleOptions]],
  [/^(?:diff-tree|log|show|whatchanged|reflog|reflog show|stash show)$/, plain],
  [/^(?:grep|blame|annotate)$/, ['--no-textconv']],
]

/** A read-only command must not fetch missing objects. */
const offline = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }

function hardenStage(stage: Stage): Stage {
  if (stage.kind === 'group')
    return { ...stage, list: stage.list.map((step) => ({ ...step, stages: step.stages.map(hardenStage) })) }
  const { words } = stage
  const git = gitIn(words)
  if (git < 0) return stage
  const texts = words.map(({ text }) => text)
  const at = git + 1 + gitCommandAt(texts.slice(git + 1))
  const [first = '', second = ''] = texts.slice(at)
  const isTwo = optionsOf(`${first} ${second}`) !== undefined
  const more = optionsOf(isTwo ? `${first} ${second}` : first) ?? []
  const behind = at + (isTwo ? 2 : 1)
  const isReader = describeCommand([{ text: 'git' }, ...words.slice(git + 1)])?.isReader === true
  return {
    ...stage,
    words: [...words.slice(0, behind), ...more.map((text) => ({ text })), ...words.slice(behind)],
    variables: { ...stage.variables, ...(isReader && offline) },
  }
}

function optionsOf(command: string): readonly string[] | undefined {
  return gitCommandOptions.find(([commands]) => commands.test(command))?.[1]
}

/** Returns the index of `git`, including by path and after `timeout 60`. */
function gitIn(words: readonly Word[], from = 0): number {
  const [first, ...rest] = words.slice(from)
  if (first === undefined) return -1
  const name = first.text.slice(first.text.lastIndexOf('/') + 1)
  if (name === 'git') return from
  const inner = describeCommand([{ text: name }, ...rest])?.inner
  return inner === undefined ? -1 : gitIn(words, words.length - inner.length)
}

/** The environment of the runner, without variables that would change the runner instead of the commands. */
export function runnerEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !/^(?:NODE_|UV_|LD_|DYLD_)/.test(name))
  return { ...Object.fromEntries(kept), ...(process.versions['electron'] && { ELECTRON_RUN_AS_NODE: '1' }) }
}
