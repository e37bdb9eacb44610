import { messageOf, type StoredSession } from '@cadre/core'
import { type AskPerson, type Environment, personName } from '@cadre/runtime'
import { type Documents, previewQuestion } from '@cadre/tools'
import type { Editor } from './editor.ts'
import { permissionOf } from './permission.ts'
import type { SessionUpdates } from './session-updates.ts'

export interface AskOptions {
  readonly editor: Editor
  readonly environment: Environment
  readonly updates: SessionUpdates
  readonly documents: Documents
  readonly read: (session: string) => Promise<StoredSession>
  /** True if the editor has disconnected. */
  readonly isLeaving: () => boolean
}

/**
 * Asks in the editor. Several questions may be open at the same time. Undefined if the editor does not answer. The question then remains in
 * the home's files. When a person answers it there, the request is withdrawn.
 */
export function createAskInEditor(options: AskOptions): AskPerson {
  const { editor, environment, updates, documents, read, isLeaving } = options
  return async (session, question, signal) => {
    if (isLeaving()) return undefined
    const stored = await read(session).catch(() => undefined)
    const files =
      stored === undefined || question.kind !== 'approval'
        ? undefined
        : await previewQuestion(stored, question, documents)
    const params = permissionOf({
      question,
      ...updates.cardOf(session, question.call),
      chain: updates.chainOf(session),
      workspace: stored?.spec.workspace ?? environment.cwd,
      card: updates.describe(session, question.call),
      files,
    })
    try {
      const { outcome } = await editor.requestPermission(params, signal)
      if (outcome.outcome !== 'selected' || !question.choices.includes(outcome.optionId)) return undefined
      const person = personName(environment.env)
      const by = person === undefined ? editor.name : `${person} in ${editor.name}`
      return { decision: outcome.optionId, by }
    } catch (error) {
      if (!signal.aborted && !isLeaving())
        environment.warn(`the editor did not answer a permission request: ${messageOf(error)}`)
      return undefined
    }
  }
}
