import type { Settings } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { type Check, fail, ok, warn } from './check.ts'

export interface AgentProgramOptions {
  /** The model that a run would use. If it is a program, the program must be there. */
  readonly model: string | undefined
  /** The check of the sandbox. */
  readonly sandbox: Check
}

/** Checks the agent programs for `acp:NAME`. Starts nothing. */
export async function checkAgentPrograms(
  io: Io,
  settings: Settings | undefined,
  { model = '', sandbox }: AgentProgramOptions,
): Promise<Check[]> {
  const { installedPrograms } = await import('@cadre/backends')
  const config = settings?.config.acp ?? {}
  const programs = installedPrograms(io.env, config)
  const used = /^acp:([^/]+)/.exec(model)?.[1]
  const checks = programs.flatMap(
    ({ name, title, place, install, control, tested, uncontrolled }): Check[] => {
      const id = `acp:${name}`
      if (place === undefined) return name === used ? [fail(id, `${title} is not installed`, install)] : []
      const version = tested === undefined ? 'not tested with Cadre' : `tested with version ${tested}`
      if (control === 'tools') return [ok(id, `${title}, ${place}; ${version}; limited to Cadre's tools`)]
      const runs = sandbox.status === 'ok' || config.programs?.[name]?.withoutSandbox === true
      const text = `${title}, ${place}; ${version}`
      if (runs) return [warn(id, `${text}. ${uncontrolled}`)]
      const needed = `${text}; Cadre does not start this program, because it needs a sandbox and none is available`
      return [name === used ? fail(id, needed, sandbox.fix) : warn(id, needed, sandbox.fix)]
    },
  )
  const missing = programs.flatMap(({ name, place }) => (place === undefined && name !== used ? [name] : []))
  return missing.length === 0 ? checks : [...checks, ok('acp', `not installed: ${missing.join(', ')}`)]
}
