import type { SessionView } from '@cadre/core'
import { cleanLine } from './clean-text.ts'

/** What a session is called where people see it: its agent, and for a teammate its name in the team before that. */
export function sessionName({ agent, team }: Pick<SessionView, 'agent' | 'team'>): string {
  return cleanLine(team === undefined ? agent : `${team.member} (${agent})`)
}
