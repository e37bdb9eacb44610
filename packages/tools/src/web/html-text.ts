const skipped = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head', 'iframe', 'object'])
const blocks = new Set(
  'address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td th tr ul'.split(
    ' ',
  ),
)
const named: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
  reg: '®',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  times: '×',
  euro: '€',
  rarr: '→',
  larr: '←',
}

/** Extracts the readable text of a page in one pass: linear, however broken the page is. */
export function htmlText(html: string): { readonly title: string; readonly text: string } {
  const out: string[] = []
  const lower = html.toLowerCase()
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open === -1) {
      out.push(html.slice(at))
      break
    }
    out.push(html.slice(at, open))
    if (html.startsWith('<!--', open)) {
      at = after(html, '-->', open + 4)
      continue
    }
    const name = /^<\/?([a-z][a-z0-9]*)/.exec(lower.slice(open, open + 32))?.[1]
    if (name === undefined && !/[!?/]/.test(html[open + 1] ?? '')) {
      out.push('<')
      at = open + 1
      continue
    }
    at = afterTag(html, open)
    if (name === undefined) continue
    if (skipped.has(name) && lower[open + 1] !== '/') at = afterTag(html, indexOrEnd(lower, `</${name}`, at))
    else if (name === 'li') out.push(lower[open + 1] === '/' ? '\n' : '\n- ')
    else if (/^h[1-6]$/.test(name))
      out.push(lower[open + 1] === '/' ? '\n' : `\n\n${'#'.repeat(Number(name[1]))} `)
    else if (blocks.has(name)) out.push('\n')
  }
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1] ?? ''
  return { title: tidy(decode(title)), text: tidy(decode(out.join(''))) }
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? text.length : at + mark.length
}

/** Returns the end of a tag; a `>` within quotes does not end it, unless the quote is never closed. */
function afterTag(html: string, open: number): number {
  const limit = Math.min(html.length, open + 20_000)
  let quote = ''
  for (let at = open + 1; at < limit; at++) {
    const sign = html[at] as string
    if (quote !== '') {
      if (sign === quote) quote = ''
    } else if (sign === '>') return at + 1
    else if ((sign === '"' || sign === "'") && html[at - 1] === '=') quote = sign
  }
  return Math.min(after(html, '>', open), limit)
}

function indexOrEnd(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? text.length : at
}

function decode(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,10});/gi, (whole, name: string) => {
    if (name[0] !== '#') return named[name.toLowerCase()] ?? whole
    const code = name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[ \t\r\f\u00a0]+/g, ' ').trim())
  return lines
    .filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''))
    .join('\n')
    .trim()
}
