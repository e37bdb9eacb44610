/**
 * The built-in teams that VS Code's own agent mode is offered. The first agent of each is its lead. Not the planner, whose agents
 * are called Plan and Agent as VS Code's own are, and no team with an agent that another one has.
 */
export const contributedTeams: readonly { readonly team: string; readonly hooks: boolean }[] = [
  { team: 'coordinator/standard', hooks: false },
  { team: 'supervisor', hooks: true },
]
