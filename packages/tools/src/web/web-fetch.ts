import { type Infer, object, renameArguments, string, type Tool } from '@cadre/core'
import { builtIn, type ToolImplementation, withoutArguments } from '../built-in.ts'
import { truncateText } from '../files/text.ts'
import { imageType } from '../files/view-image.ts'
import { Refusal } from '../refusal.ts'
import { fetchPage } from './fetch-page.ts'
import { htmlText } from './html-text.ts'

export interface WebOptions {
  /** Hosts on private networks that may be fetched: `localhost:3000`, `wiki.internal`. */
  readonly allow?: readonly string[]
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

const input = object({
  url: string('The address, beginning with https:// or http://', { min: 1, max: 4_000 }),
})

export type WebFetchInput = Infer<typeof input>

export function webFetchTool(options: WebOptions = {}): Tool {
  return builtIn<WebFetchInput>({
    name: 'web_fetch',
    description: 'Fetch a page from the public web and return its text. Sends no cookies and no credentials.',
    class: 'web',
    // Fetching a page can also send data: the address itself can contain anything the agent knows.
    effect: 'outbound',
    reshape: firstAddress,
    input,
    address: ({ url }) => url,
    load: () => webFetch(options),
  })
}

/** Some dialects pass a list of addresses, and a question about the page. */
function firstAddress(input: Record<string, unknown>): Record<string, unknown> {
  const { urls, ...rest } = withoutArguments(input, ['prompt', 'query', 'format', 'timeout', 'max_length'])
  if (!Array.isArray(urls)) return rest
  if (urls.length > 1) throw new Refusal('must be a single address. Call the tool once for each address.')
  return renameArguments({ ...rest, urls: urls[0] as unknown }, { urls: 'url' })
}

const maxLength = 50_000

function webFetch(options: WebOptions): ToolImplementation<WebFetchInput> {
  const { allow = [], timeoutMs = 30_000, maxBytes = 5 * 1_024 * 1_024 } = options
  return {
    async run({ url }, _context, signal) {
      const page = await fetchPage({ url, allow, timeoutMs, maxBytes }, signal)
      const type = imageType(page.body)
      if (type !== undefined && !page.cut) {
        return {
          content: `${page.url.href} (${type})`,
          images: [{ mime: type, data: page.body.toString('base64') }],
        }
      }
      const text = textOf(page.body, page.charset)
      const isHtml =
        page.type === 'text/html' ||
        page.type === 'application/xhtml+xml' ||
        (page.type === '' && /^\s*</.test(text))
      const isText = isHtml || page.type === '' || /^text\/|json|xml|javascript|yaml|csv/.test(page.type)
      if (!isText || text.includes('\0'))
        throw new Refusal(
          `${page.url.href} is not text${page.type && ` (${page.type})`}, so web_fetch cannot show it.`,
        )
      const { title, text: readable } = isHtml ? htmlText(text) : { title: '', text }
      const head = [page.url.href, title].filter((line) => line !== '').join('\n')
      const note = page.cut || readable.length > maxLength ? '\n[the rest is omitted]' : ''
      return { content: `${head}\n\n${truncateText(readable, maxLength)}${note}` }
    },
  }
}

function textOf(body: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return body.toString('utf8')
  }
}
