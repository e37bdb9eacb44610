import { shownLine } from '@cadre/gate'
import type { Editor } from './editor.ts'

/** A session that the editor shows. */
export interface KnownSession {
  readonly id: string
  readonly agent: string
  readonly parent?: { readonly session: string; readonly call: string }
  /** The last steps, for the card of the delegation. */
  readonly steps: string[]
  /** Calls without a result. */
  readonly open: Set<string>
  model: string
}

/** The sessions below an editor session, and where the editor shows each of them. */
export class SessionTree {
  readonly #sessionId: string
  readonly #editor: Pick<Editor, 'capabilities'>
  readonly #sessions = new Map<string, KnownSession>()

  /** `sessionId`: the editor's session. */
  constructor(sessionId: string, editor: Pick<Editor, 'capabilities'>) {
    this.#sessionId = sessionId
    this.#editor = editor
  }

  get(session: string): KnownSession | undefined {
    return this.#sessions.get(session)
  }

  add(session: KnownSession): void {
    this.#sessions.set(session.id, session)
  }

  isChild(session: string): boolean {
    return this.#sessions.get(session)?.parent !== undefined
  }

  /** Whether the editor shows children as separate sessions. */
  get isShown(): boolean {
    return this.#editor.capabilities.subagents != null
  }

  /** The editor session that shows this one. */
  addressOf(session: string): string {
    return this.isShown && this.isChild(session) ? session : this.#sessionId
  }

  /** Whether the editor shows the texts of this session. */
  showsTexts(session: string): boolean {
    return this.isShown || !this.isChild(session)
  }

  /** The title of a call's card. A child's card in the editor's session names the child's agent. */
  titleOf(session: string, title: string): string {
    const agent = this.#sessions.get(session)?.agent
    return agent === undefined || this.showsTexts(session) ? title : `${shownLine(agent, 80)}: ${title}`
  }

  /** The chain of agents, from the entry agent to this session: `lead › reviewer`. */
  chainOf(session: string): string {
    const names: string[] = []
    for (
      let at = this.#sessions.get(session);
      at !== undefined;
      at = this.#sessions.get(at.parent?.session ?? '')
    ) {
      names.unshift(shownLine(at.agent, 80))
      if (names.length > 50) break
    }
    return names.join(' › ')
  }
}
