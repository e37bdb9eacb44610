import * as vscode from 'vscode'
import { escaped } from './markdown.ts'

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
  anchor(uri: vscode.Uri, title: string): void
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
    say: (text) => attempt(() => stream.markdown(new vscode.MarkdownString(text))),
    tell,
    notice: (message) =>
      tell(
        `> ⚠️ ${message
          .split('\n')
          .map((line) => escaped(line, 2000))
          .join('  \n> ')}`,
      ),
    progress: (text) => attempt(() => stream.progress(text)),
    button: (title, command, argument) =>
      attempt(() => stream.button({ title, command, arguments: [argument] })),
    reference: (uri) => attempt(() => stream.reference(uri)),
    anchor: (uri, title) => attempt(() => stream.anchor(uri, title)),
    end() {
      isOver = true
    },
  }
}

/** Whether a part of an earlier answer was the extension's own. */
export function isOurs({ value }: vscode.ChatResponseMarkdownPart): boolean {
  return value.baseUri?.scheme === ours.scheme
}
