import type { Home } from '@cadre/home'
import type { ReadOptions } from '../format/read-journal.ts'
import type { OpenFiles } from './open-files.ts'
import type { WriteAhead } from './write-ahead.ts'

/** A message to the user about session files. */
export interface JournalDiagnostic {
  readonly code:
    | 'journal.torn'
    | 'journal.edited'
    | 'journal.restored'
    | 'journal.normalised'
    | 'journal.unreadable'
    | 'segment.replayed'
    | 'segment.kept'
  /** A full sentence. */
  readonly message: string
  readonly session: string
  /** `path` or `path:line`. */
  readonly where: string
}

/** State that the parts of the engine share. */
export interface EngineParts {
  readonly home: Home
  readonly adopt?: ReadOptions['adopt']
  readonly files: OpenFiles
  readonly ahead: WriteAhead
  readonly timestamp: () => string
  readonly report: (diagnostic: JournalDiagnostic) => void
  /** Called when a write fails. Returns true to retry until it succeeds. */
  readonly shouldRetry: (error: unknown) => boolean
}

export function sessionPath(home: Home, id: string): string {
  return home.at('sessions', `${id}.session.yaml`)
}

export function readOptions({ home, adopt }: Pick<EngineParts, 'home' | 'adopt'>, id: string): ReadOptions {
  const workspace = (agent: string) => home.at('workspaces', folderName(agent))
  return { path: sessionPath(home, id), id, workspace, ...(adopt && { adopt }) }
}

/** Agent names may contain characters that are invalid in folder names, or that point outside the home. */
function folderName(agent: string): string {
  return agent.replace(/[\\/:*?"<>|\p{Cc}]+/gu, '-').replace(/^\.+/, '-') || '-'
}
