import type { AgentProgram } from './program.ts'

/** What Cadre does not control in a session with this program. Undefined if it controls every effect. */
export function describeUncontrolledActions(
  program: AgentProgram,
  withoutSandbox: boolean,
): string | undefined {
  const { title, control, tested } = program
  if (control === 'tools') return undefined
  const limits = withoutSandbox
    ? 'Without a sandbox, the program can read and change everything that your user account can, because your configuration allows this.'
    : 'The sandbox lets it write only to the workspace, and hides your home directory.'
  const version = tested === undefined ? ' Cadre was not tested with this program.' : ''
  return `${title} keeps its own tools. Cadre judges only the actions for which ${title} asks permission. ${title} can read and change files in the workspace, run programs and use the network without asking. Hooks, approvals and evidence do not cover these actions. ${limits}${version}`
}
