import { fencedText } from '@cadre/core'
import { findHooks, shownLine } from '@cadre/gate'
import type { TrustItem } from '@cadre/home'
import { type ConfirmTrust, type Environment, userPaths } from '@cadre/runtime'
import { textContent } from './card-content.ts'
import type { Editor } from './editor.ts'

export interface TrustRequest {
  readonly editor: Editor
  readonly sessionId: string
  /** The id of the card. */
  readonly toolCallId: string
  readonly environment: Environment
  readonly signal: AbortSignal
}

export type EditorTrust =
  /** Trusts exactly these items, for this editor session. The answer is not stored. */
  | { readonly kind: 'once'; readonly items: readonly TrustItem[] }
  /** Until the files change, in every program. */
  | { readonly kind: 'always' }
  | { readonly kind: 'no' }

/** Shows everything in a folder that needs trust, and asks whether to trust it. Any answer except a clear yes means no. */
export async function askTrust(
  { folder, missing, contents }: Parameters<ConfirmTrust>[0],
  { editor, sessionId, toolCallId, environment, signal }: TrustRequest,
): Promise<EditorTrust> {
  const title = `Trust ${shownLine(folder, 300)}?`
  const lines = missing.map(({ file, line, what }) => {
    const place = line === undefined ? file : `${file}:${line}`
    const commands = commandsIn(file, folder, environment).map(
      (command) => `\n    runs: ${shownLine(command)}`,
    )
    return `${shownLine(place)}\n    ${shownLine(what)}${commands.join('')}`
  })
  const content = [
    textContent(
      [
        'This folder contains files that can run programs, start work or grant permissions:',
        fencedText(lines.join('\n')),
        'Until you trust them, Cadre ignores them and agents are read-only.',
      ].join('\n\n'),
    ),
  ]
  editor.update(sessionId, {
    sessionUpdate: 'tool_call',
    toolCallId,
    title,
    kind: 'other',
    status: 'pending',
    content,
  })
  const close = (status: 'completed' | 'failed') =>
    editor.update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status })
  try {
    const { outcome } = await editor.requestPermission(
      {
        sessionId,
        toolCall: { toolCallId, title, kind: 'other', status: 'pending', content },
        options: [
          { optionId: 'once', name: 'Trust in this session', kind: 'allow_once' },
          { optionId: 'always', name: 'Trust until these files change', kind: 'allow_always' },
          { optionId: 'no', name: 'Continue read-only', kind: 'reject_once' },
        ],
      },
      signal,
    )
    const chosen = outcome.outcome === 'selected' ? outcome.optionId : 'no'
    close(chosen === 'once' || chosen === 'always' ? 'completed' : 'failed')
    if (chosen === 'always') return { kind: 'always' }
    if (chosen !== 'once') return { kind: 'no' }
    return { kind: 'once', items: contents.items.map(({ path, sha256 }) => ({ path, sha256 })) }
  } catch {
    close('failed')
    return { kind: 'no' }
  }
}

/** The complete command lines of the hooks in one of the folder's files. */
function commandsIn(file: string, folder: string, { env }: Environment): string[] {
  const { hooks } = findHooks({ project: folder, userHome: userPaths(env).home, trusted: () => false })
  return hooks
    .filter((hook) => hook.level === 'project' && hook.path === file)
    .map(({ action, spelling }) =>
      action.kind === 'command'
        ? `${[action.command, ...(action.args ?? [])].join(' ')} (${spelling})`
        : `${action.url} (${spelling})`,
    )
}
