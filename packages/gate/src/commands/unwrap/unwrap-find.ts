import type { Unwrap } from '../reader.ts'
import type { ShellWord } from '../shell-word.ts'
import { fill } from './unwrap-plain.ts'

/** `find … -exec x {} \;` and its three relatives. */
export const unwrapFind: Unwrap = (words, reader) => {
  for (let at = 0; at < words.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(words[at]?.value ?? '')) continue
    const inner: ShellWord[] = []
    for (at++; at < words.length; at++) {
      const word = words[at] as ShellWord
      if (word.value === ';' || (word.value === '+' && inner.at(-1)?.value === '{}')) break
      inner.push(fill(word, '{}'))
    }
    if (inner.length > 0) reader.command(inner)
    else reader.doubt('find does not say what it starts')
  }
  return {}
}

/** `fd -x cmd`: everything behind the option. */
export const unwrapFd: Unwrap = (words, reader) => {
  const at = words.findIndex(({ value }) => /^(?:-[xX]|-[a-zA-Z]*[xX]|--exec(?:-batch)?)$/.test(value))
  const inner = at < 0 ? [] : words.slice(at + 1).map((word) => fill(word, '{'))
  if (inner.length > 0) reader.command([...inner, { value: '…', kind: 'open' }])
  return {}
}
