import type { Image, ToolResult } from '@cadre/core'

/** One part of an MCP result. */
export interface ResultPart {
  readonly type: string
  readonly text?: string
  readonly data?: string
  readonly mimeType?: string
  readonly uri?: string
  readonly name?: string
  readonly resource?: {
    readonly uri?: string
    readonly text?: string
    readonly blob?: string
    readonly mimeType?: string
  }
}

export interface ServerResult {
  readonly content?: readonly ResultPart[] | undefined
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

const maxTextLength = 100_000
const maxImages = 8
const maxImageBytes = 5 << 20

/** A call's result for the model: text, or structured content as JSON if there is no text, and images. The size is limited. */
export function resultOf({ content = [], structuredContent, isError }: ServerResult): ToolResult {
  const images: Image[] = []
  const texts = content.map((part) => textOfPart(part, images))
  if (structuredContent !== undefined && !content.some(({ type }) => type === 'text'))
    texts.push(JSON.stringify(structuredContent))
  return {
    content: truncate(texts.filter((text) => text !== '').join('\n')),
    ...(images.length > 0 && { images }),
    ...(isError === true && { failed: true }),
  }
}

function textOfPart(part: ResultPart, images: Image[]): string {
  const { type, text = '', data = '', mimeType = 'application/octet-stream', uri, name, resource } = part
  switch (type) {
    case 'text':
      return text
    case 'image':
      return addImage(data, mimeType, images)
    case 'resource_link':
      return `[${name ?? 'resource'}: ${uri ?? ''}]`
    case 'resource':
      if (resource?.text !== undefined) return resource.text
      if (resource?.blob !== undefined && /^image\//.test(resource.mimeType ?? ''))
        return addImage(resource.blob, resource.mimeType as string, images)
      return `[${resource?.mimeType ?? 'binary data'}: ${resource?.uri ?? ''}]`
    default:
      return `[${type}]`
  }
}

function addImage(data: string, mediaType: string, images: Image[]): string {
  if (images.length >= maxImages || data.length > maxImageBytes) return '[an image that is too large]'
  images.push({ mime: mediaType, data })
  return ''
}

function truncate(text: string): string {
  if (text.length <= maxTextLength) return text
  return `${text.slice(0, maxTextLength)}\n[Cadre omitted ${text.length - maxTextLength} characters of this result]`
}
