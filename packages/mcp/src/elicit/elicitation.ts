import { plainText } from '@cadre/core'
import type { FieldValue } from './form-fields.ts'

/** A server's question to a person. Its texts come from the server. */
export interface Elicitation {
  /** Without hidden characters. */
  readonly message: string
  /** The JSON Schema of a form, or the address of a page to open. */
  readonly asks: { readonly schema: unknown } | { readonly url: string }
  /** The calls that the server is working on, oldest first. A server does not report which of them it asks about. */
  readonly callers: readonly Caller[]
}

/** A call to a server's tool. */
export interface Caller {
  readonly session: string
  readonly agent: string
  readonly call: string
}

export interface ElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: { readonly [name: string]: FieldValue }
  /** If no person was asked: the reason, for the notices of the sessions whose calls are running. */
  readonly notice?: string
}

const maxUrlLength = 2_000

/**
 * The address that a server wants a person to open, if it uses http or https and is short enough to show in full. Punycode reveals a host name
 * with letters that look like others.
 */
export function shownUrl(url: string): string | undefined {
  if (url.length > maxUrlLength || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return (protocol === 'https:' || protocol === 'http:') && href.length <= maxUrlLength ? href : undefined
}

/** Declines a question that no person can be asked. `why`: a clause, such as `there is nobody to ask in this run`. */
export function declineWithoutAsking(
  { server, message, asks }: Pick<Elicitation, 'message' | 'asks'> & { readonly server: string },
  why: string,
): ElicitationAnswer {
  const text = plainText(message, 500).replace(/\s+/g, ' ')
  const question =
    'url' in asks ? `${text} (and to open ${plainText(asks.url, 200).replace(/\s+/g, ' ')})` : text
  return {
    action: 'decline',
    notice: `The MCP server ${server} asked: ${JSON.stringify(question)}. Cadre declined, because ${why}.`,
  }
}
