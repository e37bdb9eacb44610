import type { Rule } from '@cadre/core'
import type { TeamFiles } from './open-teams.ts'
import { teamMessageLimit } from './team-message-limit.ts'
import { createTeamOnlyRule } from './team-only.ts'

/** The rules for messages of teammates. */
export function teamRules(teams: TeamFiles): readonly Rule[] {
  return [createTeamOnlyRule(teams), teamMessageLimit(teams)]
}
