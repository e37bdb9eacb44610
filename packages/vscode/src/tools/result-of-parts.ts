import type { Image, ToolResult } from '@cadre/core'

/** Longer text is cut, because it would fill the context window. */
const maxTextLength = 100_000
const maxImages = 10
const maxImageBytes = 5_000_000

/** Converts the parts of a result, from any version of the API, by their properties. */
export function resultOfParts(parts: readonly unknown[]): ToolResult {
  const texts: string[] = []
  const images: Image[] = []
  for (const part of parts) {
    const { value, data, mimeType } = (part ?? {}) as { value?: unknown; data?: unknown; mimeType?: unknown }
    if (typeof value === 'string') texts.push(value)
    else if (data instanceof Uint8Array && typeof mimeType === 'string') addData(data, mimeType)
    else texts.push(promptText(value ?? part))
  }
  const content = truncate(texts.filter((text) => text !== '').join('\n'))
  return { content: content || '(no output)', ...(images.length > 0 && { images }) }

  function addData(data: Uint8Array, mime: string) {
    if (/^text\/|[/+]json\b|[/+]xml\b/i.test(mime)) {
      texts.push(Buffer.from(data).toString('utf8'))
      return
    }
    const isImage = /^image\//i.test(mime)
    if (isImage && images.length < maxImages && data.byteLength <= maxImageBytes)
      images.push({ mime, data: Buffer.from(data).toString('base64') })
    else texts.push(`[${mime}, ${data.byteLength} bytes, omitted]`)
  }
}

/** The text of a prompt element tree of `@vscode/prompt-tsx`; JSON for anything else. */
function promptText(value: unknown): string {
  if (value === undefined || value === null) return ''
  const texts: string[] = []
  const seen = new Set<unknown>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return
    seen.add(node)
    const { text, children, node: inner } = node as { text?: unknown; children?: unknown; node?: unknown }
    if (typeof text === 'string') texts.push(text)
    if (Array.isArray(children)) for (const child of children) visit(child)
    visit(inner)
  }
  visit(value)
  if (texts.length > 0) return texts.join('')
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '[a result that cannot be shown as text]'
  }
}

function truncate(text: string): string {
  if (text.length <= maxTextLength) return text
  return `${text.slice(0, maxTextLength)}\n[… ${text.length - maxTextLength} more characters]`
}
