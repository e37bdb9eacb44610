import type { SessionView } from '@cadre/core'
import { cleanLine } from './clean-text.ts'

/** The display name of a session: its agent, preceded by its name in the team for a teammate. */
export function sessionName({ agent, team }: Pick<SessionView, 'agent' | 'team'>): string {
  return cleanLine(team === undefined ? agent : `${team.member} (${agent})`)
}
