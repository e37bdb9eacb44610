import type { Rule } from '@cadre/core'
import type { TeamFiles } from './open-teams.ts'
import { teamMessageLimit } from './team-message-limit.ts'
import { teamOnly } from './team-only.ts'

/** What every message of a teammate is judged by. */
export function teamRules(teams: TeamFiles): readonly Rule[] {
  return [teamOnly(teams), teamMessageLimit(teams)]
}
