/**
 * Every name that a decision can have as its `rule`. People search for these names, so emitters write them as literals, never in parts. The
 * table in docs/explain.md lists them with their files; `tests/rule-names.test.ts` compares the two.
 */
export const ruleNames = [
  // Before any rule.
  'tool',
  'agent',
  'arguments',
  'policy',
  // No rule applies.
  'default',
  // The agent, its role and its team.
  'denied-tools',
  'read-only',
  'agent-permissions',
  'delegation',
  'circular_delegation',
  'team-only',
  'artifact',
  'boundary.commands',
  'boundary.writes',
  // The folder and the policies.
  'trust',
  'subagent.enabled',
  'cveRemediatorAgent.enabled',
  'permissions',
  // Effects, paths and commands.
  'effects.read',
  'effects.write',
  'effects.execute',
  'effects.outbound',
  'paths.outside',
  'paths.protected',
  'paths.invalid',
  'paths.deny.read',
  'paths.deny.write',
  'paths.ask.read',
  'paths.ask.write',
  'characters',
  'commands.nothing',
  'commands.paths',
  'commands.shell',
  'commands.unlisted',
  // Budgets.
  'sessions',
  'calls',
  'team-messages',
  // Approvals.
  'approval-required',
  'isolation',
  'approvals',
  'approval-outdated',
  'no-human',
  'answer',
  'approve',
  'approve-session',
  'granted for this session',
  // Rules that decide under the names above. Each of these names is used only if its rule fails with an exception.
  'boundary',
  'commands',
  'effects',
  'hooks',
  'paths',
  'disabled-agents',
  'server-paths',
] as const

/** Each is followed by a text: the pattern, the place of the hook, or the danger. */
export const rulePrefixes = ['allowlist: ', 'dangerous: ', 'hook: ', 'permissions: '] as const

export type RuleName = (typeof ruleNames)[number] | `${(typeof rulePrefixes)[number]}${string}`
