/** What single parts of a command's syntax come down to. */
import { forEachChild, type SyntaxNode } from 'unbash'
import type { FoundCommand } from './command-line.ts'
import { programOf } from './program-name.ts'
import { fetchers } from './programs.ts'
import { readWord, type ShellWord, showWords } from './shell-word.ts'

export type Node<Type extends SyntaxNode['type']> = Extract<SyntaxNode, { type: Type }>

/** Whether anything in it is started and not waited for. */
export function isBackground(node: SyntaxNode): boolean {
  let found = node.type === 'Statement' && node.background === true
  forEachChild(node, (child) => {
    found ||= isBackground(child)
  })
  return found
}

export function isFetcher({ words }: FoundCommand): boolean {
  return fetchers.has(programOf(words[0] ?? ''))
}

export function argumentWord(argument: Node<'Word'> | Node<'Assignment'>): ShellWord {
  if (argument.type === 'Word') return readWord(argument)
  const isPlain = argument.value.type === 'Word' && readWord(argument.value).kind !== 'open'
  return { value: argument.text, kind: isPlain ? 'plain' : 'open' }
}

/** Words as they are put down, with the places of those that are only known later. */
export function describeWords(
  words: readonly ShellWord[],
): Pick<FoundCommand, 'words' | 'text' | 'redirects' | 'open' | 'globs'> {
  const values = words.map(({ value }) => value)
  const at = (kind: ShellWord['kind']) => words.flatMap((word, index) => (word.kind === kind ? [index] : []))
  const open = at('open')
  const globs = at('glob')
  return {
    words: values,
    text: showWords(values),
    redirects: [],
    ...(open.length > 0 && { open }),
    ...(globs.length > 0 && { globs }),
  }
}

/** The parser passes over a parenthesis right behind the name of a command, where a shell reads no line at all. */
export function isOpened({ name }: Node<'Command'>, source: string): boolean {
  if (name === undefined || source.slice(name.pos, name.end) !== name.text) return false
  return /^[ \t]*\(/.test(source.slice(name.end, name.end + 100))
}

/** The text a here-document or a here-string gives to a command. */
export function inputOf(redirect: Node<'Command'>['redirects'][number]): readonly ShellWord[] {
  if (redirect.type === 'HereDoc') {
    const isOpen = redirect.body.parts?.some((part) => part.type !== 'Literal')
    return [{ value: redirect.body.text, kind: isOpen ? 'open' : 'plain' }]
  }
  return redirect.type === 'HereString' && redirect.target !== undefined ? [readWord(redirect.target)] : []
}
