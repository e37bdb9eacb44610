import { cleanLine } from '../../output/clean-text.ts'
import type { Style } from '../../output/style.ts'
import { textWidth, truncateText } from '../../output/text-width.ts'
import type { Completer, Suggestion } from './create-completer.ts'
import type { KeyName } from './key-reader.ts'
import type { MessageEditor } from './message-editor.ts'

const maxShown = 5

interface Open {
  readonly suggestions: readonly Suggestion[]
  /** How much of the text before the cursor a suggestion replaces. */
  readonly length: number
  /** The index of the selected suggestion; -1 for none. */
  readonly at: number
}

/** Suggestions below the input line. They change nothing until the person chooses one. */
export class CompletionMenu {
  readonly #editor: MessageEditor
  readonly #complete: Completer
  #open: Open | undefined
  /** The person is typing, and the file list may still be loading. */
  #isTyping = false

  constructor(editor: MessageEditor, complete: Completer) {
    this.#editor = editor
    this.#complete = complete
  }

  close(): void {
    this.#open = undefined
    this.#isTyping = false
  }

  /** Shows suggestions for the changed text. */
  update(): void {
    this.#isTyping = true
    this.#show('typing')
  }

  /** Shows new suggestions although nothing was typed. Keeps the selection. */
  refresh(): void {
    if (this.#isTyping && (this.#open === undefined || this.#open.at < 0)) this.#show('typing')
  }

  /** Returns true if the menu handled the key. */
  press(name: KeyName): boolean {
    if (name === 'tab') {
      this.#tab()
      return true
    }
    if (this.#open === undefined) return false
    const { suggestions, at } = this.#open
    switch (name) {
      case 'down':
        this.#select(at + 1)
        return true
      case 'up':
      case 'shift-tab':
        this.#select(at < 0 ? suggestions.length - 1 : at - 1)
        return true
      case 'escape':
        this.close()
        return true
      case 'enter':
        if (at < 0) return false
        this.#accept()
        return true
      default:
        return false
    }
  }

  lines(columns: number, style: Style): string[] {
    if (this.#open === undefined) return []
    const { suggestions, at } = this.#open
    const from = Math.max(0, Math.min(at - 2, suggestions.length - maxShown))
    const shown = suggestions.slice(from, from + maxShown)
    const width = Math.max(...shown.map(({ word }) => textWidth(word.trimEnd())))
    const rest = suggestions.length - from - shown.length
    return [
      ...shown.map(({ word, about }, index) => {
        const isAt = from + index === at
        const name = word.trimEnd()
        const gap = ' '.repeat(width - textWidth(name) + 2)
        const line = truncateText(
          `${isAt ? '›' : ' '} ${name}${about === undefined ? '' : gap + cleanLine(about)}`,
          columns,
        )
        return isAt ? style.cyan(line) : style.dim(line)
      }),
      ...(rest > 0 ? [style.dim(truncateText(`  … ${rest} more`, columns))] : []),
    ]
  }

  #show(why: 'typing' | 'tab'): void {
    const { before } = this.#editor
    const { suggestions, length } = this.#complete(before, why === 'tab')
    const typed = before.slice(before.length - length)
    const isDone = suggestions.length === 1 && suggestions[0]?.word.trimEnd() === typed
    this.#open = suggestions.length === 0 || isDone ? undefined : { suggestions, length, at: -1 }
  }

  /** Completes as far as all suggestions agree, then selects the first. */
  #tab(): void {
    if (this.#open !== undefined && this.#open.at >= 0) {
      this.#accept()
      return
    }
    this.#show('tab')
    if (this.#open === undefined) return
    const { suggestions, length } = this.#open
    const words = suggestions.map(({ word }) => word)
    const shared = sharedStart(words)
    if (words.length === 1) this.#put(words[0] as string, length)
    else if (shared.length <= length) this.#select(0)
    else {
      this.#editor.replace(length, shared)
      this.#isTyping = true
      this.#show('tab')
    }
  }

  #select(at: number): void {
    if (this.#open === undefined) return
    const count = this.#open.suggestions.length
    this.#open = { ...this.#open, at: ((at % count) + count) % count }
  }

  #accept(): void {
    const chosen = this.#open?.suggestions[this.#open.at]
    if (this.#open !== undefined && chosen !== undefined) this.#put(chosen.word, this.#open.length)
  }

  #put(word: string, length: number): void {
    this.#editor.replace(length, word)
    this.close()
    // Suggest the files in the folder next.
    if (word.endsWith('/')) this.#show('tab')
  }
}

function sharedStart(words: readonly string[]): string {
  const [first = ''] = words
  let length = first.length
  for (const word of words) while (!word.startsWith(first.slice(0, length))) length -= 1
  return first.slice(0, length)
}
