import { mkdirSync } from 'node:fs'
import type { SessionSpec } from '@cadre/core'
import { isInside } from '@cadre/disk'
import type { Home } from '@cadre/home'

/** Creates the folder of a session that works in `workspaces/` in the home, such as one that a person has started with a file. */
export function makeHomeWorkspace(
  home: Home,
  { workspace, isolation }: Pick<SessionSpec, 'workspace' | 'isolation'>,
): void {
  // A session's own workspace is restored from its commits instead.
  const isMade = isolation?.kind === 'own' && isolation.base !== workspace
  if (!isMade && isInside(home.at('workspaces'), workspace)) mkdirSync(workspace, { recursive: true })
}
