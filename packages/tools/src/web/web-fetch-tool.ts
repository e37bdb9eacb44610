import { type Infer, object, string, type Tool } from '@cadre/core'
import { builtIn, without } from '../built-in.ts'
import { Refusal } from '../refusal.ts'

export interface WebOptions {
  /** Hosts on private networks that may be fetched: `localhost:3000`, `wiki.internal`. */
  readonly allow?: readonly string[]
  readonly timeoutMs?: number
  readonly mostBytes?: number
}

const input = object({
  url: string('The address, beginning with https:// or http://', { min: 1, max: 4_000 }),
})

export type WebFetchInput = Infer<typeof input>

export function webFetchTool(options: WebOptions = {}): Tool {
  return builtIn<WebFetchInput>({
    name: 'web_fetch',
    description: 'Fetch a page from the public web and give its text. Sends no cookies and no credentials.',
    class: 'web',
    // Reading a page also writes: the address itself can carry anything the agent knows to whoever answers.
    effect: 'outbound',
    reshape: firstAddress,
    input,
    load: async () => (await import('./web-fetch.ts')).webFetch(options),
  })
}

/** Some dialects give a list of addresses, and a question about the page. */
function firstAddress(input: Record<string, unknown>): Record<string, unknown> {
  const { urls, ...rest } = without(input, ['prompt', 'query', 'format', 'timeout', 'max_length'])
  if (!Array.isArray(urls)) return rest
  if (urls.length > 1) throw new Refusal('one address at a time: call the tool once for each')
  return { ...rest, url: urls[0] as unknown }
}
