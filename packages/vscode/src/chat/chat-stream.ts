import * as vscode from 'vscode'
import { noticeText } from '../markdown.ts'

/** What is written into one answer. Nothing is written after its end, and nothing throws. */
export interface ChatStream {
  /** The words of an agent. */
  say(text: string): void
  /** Words of the extension. They are a part of their own: nothing that an agent left open, such as a fence, swallows them. */
  tell(markdown: string): void
  notice(message: string): void
  progress(text: string): void
  button(title: string, command: string, argument: object): void
  reference(uri: vscode.Uri): void
  end(): void
}

/** Marks what the extension says itself. Markdown with another base is never joined with what stands before it. */
const ours = vscode.Uri.from({ scheme: 'cadre', path: '/chat' })

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
      log.error(`The chat could not show something: ${String(error)}`)
    }
  }
  const tell = (markdown: string) =>
    attempt(() => {
      const part = new vscode.MarkdownString(`${markdown}\n\n`)
      part.baseUri = ours
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

/** Whether a part of an earlier answer was the extension's own. */
export function isOurs({ value }: vscode.ChatResponseMarkdownPart): boolean {
  return value.baseUri?.scheme === ours.scheme
}
