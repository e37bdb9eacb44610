import { createPasteReader } from './paste-reader.ts'

/** Keyboard input. */
export type Key =
  | { readonly kind: 'text'; readonly text: string }
  /** A pasted text. */
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'key'; readonly name: KeyName }

export type KeyName =
  | 'enter'
  | 'newline'
  | 'tab'
  | 'shift-tab'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'word-left'
  | 'word-right'
  | 'kill-left'
  | 'kill-right'
  | 'kill-word'
  | 'cancel'
  | 'end-of-input'
  | 'suspend'
  | 'expand'
  | 'redraw'

export interface KeyReader {
  /** Returns the keys in a piece of input. An escape character at its end may start a sequence, so it is kept. */
  read(piece: string): Key[]
  /** True if an escape character is kept; if nothing follows, it is a key. */
  readonly isWaiting: boolean
  flush(): Key[]
}

const controls: { readonly [character: string]: KeyName } = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\x08': 'backspace',
  '\x01': 'home',
  '\x02': 'left',
  '\x03': 'cancel',
  '\x04': 'end-of-input',
  '\x05': 'end',
  '\x06': 'right',
  '\x0b': 'kill-right',
  '\x0c': 'redraw',
  '\x0e': 'down',
  '\x0f': 'expand',
  '\x10': 'up',
  '\x15': 'kill-left',
  '\x17': 'kill-word',
  '\x1a': 'suspend',
}

/** The text after the escape character. Shift-Enter and Alt-Enter are newlines in every encoding that terminals use. */
const sequences: { readonly [sequence: string]: KeyName } = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  '[H': 'home',
  '[F': 'end',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  OH: 'home',
  OF: 'end',
  '[1~': 'home',
  '[7~': 'home',
  '[4~': 'end',
  '[8~': 'end',
  '[3~': 'delete',
  '[Z': 'shift-tab',
  '[1;5C': 'word-right',
  '[1;5D': 'word-left',
  '[1;3C': 'word-right',
  '[1;3D': 'word-left',
  '[13;2u': 'newline',
  '[13;3u': 'newline',
  '[27;2;13~': 'newline',
  '[27;3;13~': 'newline',
  b: 'word-left',
  f: 'word-right',
  '\r': 'newline',
  '\n': 'newline',
  '\x7f': 'kill-word',
}

/** Parses the input of a terminal in raw mode with bracketed paste. */
export function createKeyReader(): KeyReader {
  const takeApart = createPasteReader()
  let held = ''

  function keysOf(text: string, isAll: boolean): Key[] {
    const keys: Key[] = []
    let at = 0
    while (at < text.length) {
      const character = text[at] as string
      if (character === '\x1b') {
        const sequence = sequenceAt(text, at)
        if (sequence === undefined && !isAll) {
          held = text.slice(at)
          return keys
        }
        const name = sequence === undefined ? undefined : sequences[sequence]
        if (sequence === undefined || sequence === '') keys.push({ kind: 'key', name: 'escape' })
        else if (name !== undefined) keys.push({ kind: 'key', name })
        at += 1 + (sequence?.length ?? 0)
        continue
      }
      const name = controls[character]
      if (name !== undefined) {
        keys.push({ kind: 'key', name })
        at += 1
        continue
      }
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what ends a run of text.
      const end = text.slice(at + 1).search(/[\x00-\x1f\x7f]/)
      const run = text.slice(at, end < 0 ? undefined : at + 1 + end)
      if (character >= ' ') keys.push({ kind: 'text', text: run })
      at += character >= ' ' ? run.length : 1
    }
    return keys
  }

  return {
    read(piece) {
      const text = held + piece
      held = ''
      return takeApart(text).flatMap((input): Key[] =>
        input.kind === 'paste' ? [{ kind: 'paste', text: input.text }] : keysOf(input.text, false),
      )
    },
    get isWaiting() {
      return held !== ''
    },
    flush() {
      const text = held
      held = ''
      return keysOf(text, true)
    },
  }
}

/** Returns the rest of an escape sequence; empty for a lone escape, `undefined` if more may follow. */
function sequenceAt(text: string, at: number): string | undefined {
  const rest = text.slice(at + 1, at + 40)
  if (rest === '') return undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: two escapes in a row are two keys.
  if (/^\x1b/.test(rest)) return ''
  const control = /^\[[0-?]*[ -/]*[@-~]/.exec(rest)?.[0] ?? /^O[A-Za-z]/.exec(rest)?.[0]
  if (control !== undefined) return control
  if (/^\[[0-?]*[ -/]*$/.test(rest) || rest === 'O') return undefined
  return rest.slice(0, 1) in sequences ? rest.slice(0, 1) : ''
}
