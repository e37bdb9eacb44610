import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { AcpProgramConfig } from '../../models-config.ts'
import type { AgentProgram } from '../program.ts'

/** A program of the user's configuration, or a command line that the user chose as the model. */
export function customProgram(
  name: string,
  { command, variables = [] }: Pick<AcpProgramConfig, 'variables'> & { readonly command: readonly string[] },
): AgentProgram {
  const [program = '', ...args] = command
  const names = new Set(variables)
  return {
    name,
    title: name,
    control: 'sandbox',
    command: [program, ...args],
    // `test` is all that is used of it.
    variables: { test: (variable: string) => names.has(variable) } as RegExp,
    prepare({ folder }) {
      const home = path.join(folder, 'home')
      mkdirSync(home, { mode: 0o700 })
      return { env: { HOME: home } }
    },
  }
}
