import { inlineCode, interpreterOf, otherShells, shells } from '../programs.ts'
import type { Reader, Unwrap, Unwrapped } from '../reader.ts'
import type { ShellWord } from '../shell-word.ts'
import { unwrapFd, unwrapFind } from './unwrap-find.ts'
import { unwrapGit } from './unwrap-git.ts'
import { unwrapBuiltin, unwrapEnv, unwrapPlain, unwrapXargs } from './unwrap-plain.ts'
import { unwrapContainer, unwrapKubectl, unwrapSsh, unwrapWindows } from './unwrap-remote.ts'
import {
  unwrapChange,
  unwrapEval,
  unwrapShell,
  unwrapSource,
  unwrapTest,
  unwrapTrap,
  unwrapVariables,
} from './unwrap-shell.ts'
import {
  unwrapEditor,
  unwrapFlock,
  unwrapInterpreter,
  unwrapOption,
  unwrapPackage,
  unwrapParallel,
  unwrapScript,
  unwrapSu,
  unwrapWatch,
  withCommandOptions,
} from './unwrap-starters.ts'
import { transparent, visible } from './wrapper-options.ts'

const kinds: readonly (readonly [readonly string[], Unwrap])[] = [
  [Object.keys(inlineCode), unwrapInterpreter],
  [['deno', 'bun'], unwrapInterpreter],
  [[...shells, ...otherShells], unwrapShell],
  [[...Object.keys(transparent), ...Object.keys(visible)], unwrapPlain],
  [withCommandOptions, unwrapOption],
  [['env'], unwrapEnv],
  [['command', 'builtin', 'exec'], unwrapBuiltin],
  [['xargs', 'gxargs'], unwrapXargs],
  [['eval'], unwrapEval],
  [['trap'], unwrapTrap],
  [['.', 'source'], unwrapSource],
  [['test', '['], unwrapTest],
  [['alias', 'unalias', 'shopt', 'enable', 'hash', 'bind', 'set', 'fc'], unwrapChange],
  [['export', 'declare', 'typeset', 'local', 'readonly', 'unset', 'read', 'let', 'getopts'], unwrapVariables],
  [['git'], unwrapGit],
  [['find', 'gfind'], unwrapFind],
  [['fd', 'fdfind'], unwrapFd],
  [['ssh', 'autossh', 'mosh'], unwrapSsh],
  [['docker', 'podman', 'nerdctl', 'docker-compose'], unwrapContainer],
  [['kubectl', 'oc'], unwrapKubectl],
  [['cmd', 'powershell', 'pwsh'], unwrapWindows],
  [['su', 'runuser'], unwrapSu],
  [['flock'], unwrapFlock],
  [['watch'], unwrapWatch],
  [['script'], unwrapScript],
  [['parallel'], unwrapParallel],
  [['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'uvx', 'pipx'], unwrapPackage],
  [['vim', 'vi', 'nvim', 'view', 'ex', 'ed', 'emacs', 'nano', 'less', 'more', 'most'], unwrapEditor],
]

const table = new Map(
  kinds.flatMap(([programs, unwrap]) => programs.map((program) => [program, unwrap] as const)),
)

/** Looks into a command that starts others, on its words. */
export function unwrapCommand(program: string, words: readonly ShellWord[], reader: Reader): Unwrapped {
  const unwrap = table.get(program) ?? table.get(interpreterOf(program) ?? '')
  return unwrap === undefined ? {} : unwrap(words, reader, program)
}
