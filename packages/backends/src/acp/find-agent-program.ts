import path from 'node:path'
import type { Environment } from '../child-environment.ts'
import { isProgram } from '../is-program.ts'
import type { AgentProgram } from './program.ts'

/** An agent program on this machine. */
export interface FoundProgram {
  readonly program: AgentProgram
  /** An absolute path. */
  readonly command: string
  readonly args: readonly string[]
}

/**
 * Finds the file of a program: an absolute path, or a name in an absolute folder of PATH. A relative path would be resolved in
 * the workspace, where a cloned repository decides what is there.
 */
export function findAgentProgram(
  program: AgentProgram,
  env: Environment,
  command: readonly string[] = program.command,
): FoundProgram | undefined {
  const [name = '', ...args] = command
  const file = path.isAbsolute(name) ? name : name.includes('/') ? undefined : onPath(name, env)
  return file !== undefined && isProgram(file) ? { program, command: file, args } : undefined
}

function onPath(name: string, env: Environment): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : ['']
  return (env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => endings.map((ending) => path.join(folder, `${name}${ending}`)))
    .find(isProgram)
}
