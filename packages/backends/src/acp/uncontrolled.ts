import type { AgentProgram } from './program.ts'

/** What Cadre does not control in a session with this program. Undefined if it controls every effect. */
export function uncontrolled(program: AgentProgram, withoutSandbox: boolean): string | undefined {
  const { title, control, tested } = program
  if (control === 'tools') return undefined
  const limits = withoutSandbox
    ? 'If there is no sandbox, it can read and change everything that this user can, because your configuration accepts that.'
    : 'The sandbox lets it write only to the workspace, and hides your home directory.'
  const version = tested === undefined ? ' Cadre was not tested with it.' : ''
  return `${title} keeps its own tools. Cadre judges only the actions that it asks about: it can read and change files in the workspace, run programs and use the network without asking. Hooks, approvals and evidence do not cover that. ${limits}${version}`
}
