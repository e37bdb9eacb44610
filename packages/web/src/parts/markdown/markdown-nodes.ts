import { lexer, type Token, type Tokens } from 'marked'
import { type ComponentChild, h } from 'preact'

/** Deeper nesting is shown as plain text. */
const deepest = 40

/**
 * Parses Markdown into vnodes. It never creates an HTML string, so nothing needs to be sanitised: HTML in the text is shown as text, images are
 * not loaded, and only web and mail addresses become links.
 */
export function markdownNodes(text: string): ComponentChild[] {
  if (isSlow(text)) return [h('p', { key: 0 }, text)]
  return blocks(lexer(text, { gfm: true, breaks: false }), 0)
}

/** The lexer compares all emphasis marks in a paragraph with each other. Thousands of them would block the page for minutes. */
const mostMarks = 1_500

function isSlow(text: string): boolean {
  return text
    .split(/\n(?:[ \t]*\n| {0,3}(?:[-*+] |#{1,6} |>))/)
    .some((part) => (part.match(/[*_~]+/g)?.length ?? 0) > mostMarks)
}

function blocks(tokens: readonly Token[], depth: number): ComponentChild[] {
  return tokens.map((token, key) => block(token as Tokens.Generic & Token, key, depth))
}

function block(token: Token, key: number, depth: number): ComponentChild {
  if (depth > deepest) return h('p', { key }, token.raw)
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      // All headings have one level for screen readers, because models skip levels.
      return h('h2', { key, class: `heading-${(token as Tokens.Heading).depth}` }, inlines(token, depth))
    case 'code':
      return h('pre', { key, tabIndex: 0 }, h('code', null, (token as Tokens.Code).text))
    case 'blockquote':
      return h('blockquote', { key }, blocks(token.tokens ?? [], depth + 1))
    case 'list':
      return list(token as Tokens.List, key, depth)
    case 'table':
      return table(token as Tokens.Table, key, depth)
    case 'hr':
      return h('hr', { key })
    case 'text':
      return h('span', { key }, inlines(token, depth))
    case 'paragraph':
      return h('p', { key }, inlines(token, depth))
    case 'checkbox':
      return h('span', { key }, (token as Tokens.Checkbox).checked ? '☑ ' : '☐ ')
    default:
      return h('p', { key }, token.raw)
  }
}

function list({ ordered, start, items }: Tokens.List, key: number, depth: number): ComponentChild {
  const children = items.map(({ tokens, task, checked }, at) =>
    h('li', { key: at }, [
      task && !tokens.some(({ type }) => type === 'checkbox') ? (checked ? '☑ ' : '☐ ') : null,
      ...blocks(tokens, depth + 1),
    ]),
  )
  return ordered
    ? h('ol', { key, start: typeof start === 'number' ? start : 1 }, children)
    : h('ul', { key }, children)
}

function table({ header, rows }: Tokens.Table, key: number, depth: number): ComponentChild {
  const cells = (name: 'th' | 'td', row: readonly Tokens.TableCell[]) =>
    row.map(({ tokens, align }, at) =>
      h(name, { key: at, ...(align !== null && { class: `align-${align}` }) }, inline(tokens, depth + 1)),
    )
  return h(
    'div',
    { key, class: 'table', tabIndex: 0, role: 'group', 'aria-label': 'Table' },
    h(
      'table',
      null,
      h('thead', null, h('tr', null, cells('th', header))),
      h(
        'tbody',
        null,
        rows.map((row, at) => h('tr', { key: at }, cells('td', row))),
      ),
    ),
  )
}

function inlines(token: Token, depth: number): ComponentChild[] {
  const { tokens } = token as Tokens.Generic
  return tokens === undefined ? [plain((token as Tokens.Text).text)] : inline(tokens, depth + 1)
}

function inline(tokens: readonly Token[], depth: number): ComponentChild[] {
  return tokens.map((token, key): ComponentChild => {
    if (depth > deepest) return token.raw
    switch (token.type) {
      case 'strong':
      case 'em':
      case 'del':
        return h(token.type, { key }, inlines(token, depth))
      case 'codespan':
        return h('code', { key }, plain((token as Tokens.Codespan).text))
      case 'br':
        return h('br', { key })
      case 'link':
        return link(token as Tokens.Link, key, depth)
      case 'image':
        return h('span', { key, class: 'dim' }, `[image: ${(token as Tokens.Image).text}]`)
      case 'text':
        return (token as Tokens.Text).tokens === undefined
          ? plain((token as Tokens.Text).text)
          : h('span', { key }, inlines(token, depth))
      case 'escape':
        return (token as Tokens.Escape).text
      case 'checkbox':
        return (token as Tokens.Checkbox).checked ? '☑ ' : '☐ '
      default:
        return token.raw
    }
  })
}

/** A link opens outside the page, and its tooltip shows the address. */
function link(token: Tokens.Link, key: number, depth: number): ComponentChild {
  const address = safeAddress(token.href)
  const text = inlines(token, depth)
  if (address === undefined) return h('span', { key }, text)
  return h('a', { key, href: address, title: address, target: '_blank', rel: 'noopener noreferrer' }, text)
}

export function safeAddress(address: string): string | undefined {
  try {
    const { protocol, href } = new URL(address)
    return protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:' ? href : undefined
  } catch {
    // A relative address would point to this page.
    return undefined
  }
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00a0',
}

/** The lexer leaves character references for HTML. Text nodes need the characters. */
function plain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => named[name] ?? '')
}
