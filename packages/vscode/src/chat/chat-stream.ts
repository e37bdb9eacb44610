import * as vscode from 'vscode'
import { noticeText } from '../markdown.ts'

/** The output of one answer. Nothing is written after its end, and nothing throws. */
export interface ChatStream {
  /** Text of an agent. */
  say(text: string): void
  /** Text of the extension, in a separate part: nothing that an agent left open, such as a code fence, affects it. */
  tell(markdown: string): void
  notice(message: string): void
  progress(text: string): void
  button(title: string, command: string, argument: object): void
  reference(uri: vscode.Uri): void
  end(): void
}

/** Marks the extension's own text. VS Code never joins Markdown with different base URIs. */
const ownTextMark = vscode.Uri.from({ scheme: 'cadre', path: '/chat' })

export function createChatStream(
  stream: vscode.ChatResponseStream,
  log: Pick<vscode.LogOutputChannel, 'error'>,
): ChatStream {
  let isOver = false
  const attempt = (write: () => void) => {
    if (isOver) return
    try {
      write()
    } catch (error) {
      log.error(`The chat could not show a part of the reply: ${String(error)}`)
    }
  }
  const tell = (markdown: string) =>
    attempt(() => {
      const part = new vscode.MarkdownString(`${markdown}\n\n`)
      part.baseUri = ownTextMark
      stream.markdown(part)
    })
  return {
    say: (text) =>
      attempt(() => {
        if (text !== '') stream.markdown(new vscode.MarkdownString(text))
      }),
    tell,
    notice: (message) => tell(noticeText(message)),
    progress: (text) => attempt(() => stream.progress(text)),
    button: (title, command, argument) =>
      attempt(() => stream.button({ title, command, arguments: [argument] })),
    reference: (uri) => attempt(() => stream.reference(uri)),
    end() {
      isOver = true
    },
  }
}

/** True if a part of an earlier answer is the extension's own. */
export function isOwnText({ value }: vscode.ChatResponseMarkdownPart): boolean {
  return value.baseUri?.scheme === ownTextMark.scheme
}
