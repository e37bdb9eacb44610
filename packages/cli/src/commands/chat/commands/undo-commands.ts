import { openUndo } from '@cadre/runtime'
import type { Direction } from '@cadre/workspaces'
import { performUndo } from '../../undo/perform-undo.ts'
import type { Chat } from '../chat.ts'
import type { ChatCommand } from '../chat-commands.ts'

export const undoCommands: readonly ChatCommand[] = [
  { name: 'undo', about: 'undo the file changes from the last turn', run: (chat) => change(chat, 'undo') },
  { name: 'redo', about: 'restore the changes from the last undo', run: (chat) => change(chat, 'redo') },
]

/** Shows the files, asks, and applies the change. Without a terminal it cannot ask, so it changes nothing. */
async function change(chat: Chat, direction: Direction): Promise<void> {
  const { runtime, conversation, io, input, output } = chat
  const end = await performUndo({
    redo: '/redo',
    undo: openUndo(runtime.home, { env: io.env, tell: runtime.tell, runtime }),
    request: {
      direction,
      workspace: conversation.workspace,
      ...(conversation.session !== undefined && { session: conversation.session }),
    },
    show: (text) => output.note(text.trimEnd()),
    confirm: async (question) => {
      if (input.edit === undefined) return false
      const said = await input.edit(question.replace(/[:>\s]+$/, ''), '')
      return /^y(?:es)?$/i.test(said?.text.trim() ?? '')
    },
  })
  if (end.kind === 'declined') output.note('Nothing was changed.')
}
