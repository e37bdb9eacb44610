import type { Environment } from '../child-environment.ts'
import type { AcpConfig } from '../models-config.ts'
import { describeUncontrolledActions } from './describe-uncontrolled-actions.ts'
import { findAgentProgram } from './find-agent-program.ts'
import { findProgramByName, programNames } from './find-program-by-name.ts'
import type { Control } from './program.ts'

/** An agent program, and whether it can be used on this machine. */
export interface InstalledProgram {
  /** The name after `acp:`. */
  readonly name: string
  readonly title: string
  readonly control: Control
  /** Its file. Absent: it is not installed. */
  readonly place?: string
  readonly install?: string
  /** The version that Cadre was tested with. */
  readonly tested?: string
  /** What Cadre does not control. */
  readonly uncontrolled?: string
}

/** Lists the programs for `acp:NAME`. Starts nothing. */
export function installedPrograms(env: Environment, settings: AcpConfig = {}): InstalledProgram[] {
  return programNames(settings).flatMap((name) => {
    const named = findProgramByName(name, settings)
    if (named === undefined) return []
    const { title, control, install, tested } = named.program
    const place = findAgentProgram(named.program, env, named.command)?.command
    const open = describeUncontrolledActions(
      named.program,
      settings.programs?.[name]?.withoutSandbox === true,
    )
    return [
      {
        name,
        title,
        control,
        ...(place !== undefined && { place }),
        ...(install !== undefined && { install }),
        ...(tested !== undefined && { tested }),
        ...(open !== undefined && { uncontrolled: open }),
      },
    ]
  })
}
