/**
 * The built-in teams for VS Code's own agent mode. The first agent of each is its lead. Excludes the planner, whose agents
 * Plan and Agent have the same names as VS Code's, and teams that share an agent name.
 */
export const contributedTeams: readonly { readonly team: string; readonly hooks: boolean }[] = [
  { team: 'coordinator/standard', hooks: false },
  { team: 'supervisor', hooks: true },
]
