import type { Runtime } from '@cadre/runtime'
import type { SessionConfigOption } from './acp-types.ts'
import type { Editor } from './editor.ts'
import { titleOf } from './session-titles.ts'
import { availableCommands } from './slash-commands.ts'

/** Tells the editor about a session itself: its title, commands, options and mode. */
export class SessionInfo {
  readonly #editor: Pick<Editor, 'update'>
  readonly #session: string
  #hasTitle: boolean

  /** `hasTitle`: an earlier session has a title, and `session/list` shows it. */
  constructor(editor: Pick<Editor, 'update'>, session: string, { hasTitle }: { readonly hasTitle: boolean }) {
    this.#editor = editor
    this.#session = session
    this.#hasTitle = hasTitle
  }

  /** Names a session that has no title after its first work. */
  name(work: string): void {
    if (this.#hasTitle) return
    this.#hasTitle = true
    this.#editor.update(this.#session, {
      sessionUpdate: 'session_info_update',
      title: titleOf(work),
      updatedAt: new Date().toISOString(),
    })
  }

  sendCommands(runtime: Runtime): void {
    this.#editor.update(this.#session, {
      sessionUpdate: 'available_commands_update',
      availableCommands: availableCommands(runtime),
    })
  }

  sendOptions(configOptions: SessionConfigOption[]): void {
    this.#editor.update(this.#session, { sessionUpdate: 'config_option_update', configOptions })
  }

  sendMode(currentModeId: string): void {
    this.#editor.update(this.#session, { sessionUpdate: 'current_mode_update', currentModeId })
  }
}
