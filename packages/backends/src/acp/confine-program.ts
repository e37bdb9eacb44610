import type { ModelRequest } from '@cadre/core'
import type { Confine, Confinement, ProgramStart } from './confine.ts'
import type { AgentProgram } from './program.ts'

export interface ConfineOptions {
  readonly program: AgentProgram
  readonly start: ProgramStart
  /** The private folder of the program. */
  readonly folder: string
  /** Absent: nothing can confine programs. */
  readonly confine: Confine | undefined
  /** The user accepts the program without a sandbox. */
  readonly withoutSandbox: boolean
}

/** Returns how to start the program. One with its own tools needs an agent that may use such tools, and a sandbox. */
export async function confineProgram(
  { program, start, folder, confine, withoutSandbox }: ConfineOptions,
  { workspace, permits }: Pick<ModelRequest, 'workspace' | 'permits'>,
): Promise<Confinement> {
  const { title, control, name } = program
  if (control === 'tools') return { kind: 'start', ...start }
  if (permits?.programs !== true || workspace === undefined)
    return {
      kind: 'refused',
      reason: `${title} runs programs without asking, and this agent may not run any. Use a model whose tools Cadre controls, such as acp:copilot, acp:claude or acp:opencode, or let the agent run programs.`,
    }
  const readOnly = !permits.edits
  const confined: Confinement =
    confine === undefined
      ? { kind: 'refused', reason: 'there is no sandbox here' }
      : await confine({ ...start, workspace, folder, readOnly })
  if (confined.kind === 'start') return confined
  const isFirm = confined.firm === true || readOnly
  if (withoutSandbox && !isFirm) return { kind: 'start', ...start }
  const accept = isFirm
    ? ''
    : ` To run it without a sandbox, set acp.programs.${JSON.stringify(name)}.withoutSandbox: true in your own config.yaml.`
  const why = 'because Cadre cannot control all of its tools'
  return {
    kind: 'refused',
    reason: `${title} runs only in a sandbox, ${why}: ${confined.reason}.${accept}`,
  }
}
