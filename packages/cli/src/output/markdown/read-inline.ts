import type { Mark, Span } from './styled-span.ts'

/** Longer text is plain: searching for the end of a mark must not take quadratic time. */
const maxLength = 8_000

const rules: readonly {
  readonly pattern: RegExp
  read(match: RegExpExecArray, marks: readonly Mark[]): readonly Span[]
}[] = [
  {
    pattern: /\\([!-/:-@[-`{-~])/y,
    read: ([, character = ''], marks) => [{ text: character, marks }],
  },
  {
    pattern: /(?<!`)(`+)(?!`)(.{1,2000}?)(?<!`)\1(?!`)/sy,
    read: ([, , code = ''], marks) => [
      { text: /^ .*[^ ].* $/s.test(code) ? code.slice(1, -1) : code, marks: [...marks, 'cyan'] },
    ],
  },
  {
    pattern: /!\[([^\]\n]*)\]\(\s*([^\s()]+(?:\([^\s()]*\)[^\s()]*)?)(?:\s+"[^"]*")?\s*\)/y,
    read: ([, alt = '', url = ''], marks) => [
      { text: alt === '' ? 'image' : alt, marks: [...marks, 'italic'] },
      { text: ` (${url})`, marks: [...marks, 'dim'] },
    ],
  },
  {
    // Each character of an address matches in only one way, so that an unterminated address fails fast.
    pattern: /\[((?:[^[\]\n\\]|\\.)+)\]\(\s*<?([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)?)>?(?:\s+"[^"]*")?\s*\)/y,
    read: ([, text = '', url = ''], marks) => {
      const shown = readInline(text, [...marks, 'underline'])
      // The address stays visible, because the text of a link can be misleading.
      return text === url || url === `mailto:${text}`
        ? shown
        : [...shown, { text: ` (${url})`, marks: [...marks, 'dim'] }]
    },
  },
  {
    pattern: /<((?:https?:\/\/|mailto:)[^\s<>]+)>|(https?:\/\/[^\s<>]*[^\s<>.,:;"')\]!?*_])/y,
    read: ([, angled, bare = ''], marks) => [{ text: angled ?? bare, marks: [...marks, 'underline'] }],
  },
  {
    pattern: /\*\*\*(?=\S)(.{1,2000}?)(?<=\S)\*\*\*(?!\*)/sy,
    read: ([, text = ''], marks) => readInline(text, [...marks, 'bold', 'italic']),
  },
  {
    pattern: /\*\*(?=\S)(.{1,2000}?)(?<=[^\s\\])\*\*(?!\*)/sy,
    read: ([, text = ''], marks) => readInline(text, [...marks, 'bold']),
  },
  {
    pattern: /(?<![\p{L}\p{N}_])__(?=\S)(.{1,2000}?)(?<=\S)__(?![\p{L}\p{N}_])/suy,
    read: ([, text = ''], marks) => readInline(text, [...marks, 'bold']),
  },
  {
    pattern: /~~(?=\S)(.{1,2000}?)(?<=\S)~~/sy,
    read: ([, text = ''], marks) => readInline(text, [...marks, 'strike']),
  },
  {
    pattern: /(?<![\p{L}\p{N}])\*(?=[^\s*])((?:[^*]|\*\*(?=\S)[^*]+\*\*)+?)(?<=[^\s\\])\*(?!\*)/suy,
    read: ([, text = ''], marks) => readInline(text, [...marks, 'italic']),
  },
  {
    pattern: /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_]+?)(?<=\S)_(?![\p{L}\p{N}_])/suy,
    read: ([, text = ''], marks) => readInline(text, [...marks, 'italic']),
  },
]

const special = /[\\`![<*_~h]/g

/** Inline Markdown: code, emphasis, links. Unclosed marks are plain text. Expects clean text. */
export function readInline(text: string, marks: readonly Mark[] = []): Span[] {
  if (text.length > maxLength) return [{ text, marks }]
  const spans: Span[] = []
  let plain = ''
  let at = 0
  const flush = () => {
    if (plain !== '') spans.push({ text: plain, marks })
    plain = ''
  }
  while (at < text.length) {
    special.lastIndex = at
    const next = special.exec(text)?.index ?? text.length
    plain += text.slice(at, next)
    at = next
    const found = at < text.length ? ruleAt(text, at) : undefined
    if (found === undefined) {
      plain += text.slice(at, at + 1)
      at += 1
      continue
    }
    flush()
    spans.push(...found.rule.read(found.match, marks))
    at += found.match[0].length
  }
  flush()
  return spans
}

function ruleAt(text: string, at: number) {
  for (const rule of rules) {
    rule.pattern.lastIndex = at
    const match = rule.pattern.exec(text)
    if (match !== null) return { rule, match }
  }
  return undefined
}
