import {
  declineWithoutAsking,
  type ElicitationAnswer,
  type FormField,
  formFields,
  shownUrl,
} from '@cadre/mcp'
import type { ElicitFromPerson } from './person-port.ts'

/** A question of an MCP server as every surface shows it. */
export type ElicitationQuestion =
  | {
      readonly kind: 'form'
      /** Names the server and the agents whose calls it is working on. */
      readonly asker: string
      readonly message: string
      readonly fields: readonly FormField[]
    }
  /** `url`: show it whole, and ask before it is opened. */
  | { readonly kind: 'page'; readonly asker: string; readonly message: string; readonly url: string }
  /** A person could not judge it. */
  | { readonly kind: 'declined'; readonly answer: ElicitationAnswer }

export function elicitationQuestion(asked: Parameters<ElicitFromPerson>[0]): ElicitationQuestion {
  const { server, message, asks, callers } = asked
  const agents = [...new Set(callers.map(({ agent }) => agent))]
  const during = agents.length === 0 ? '' : `, during a call by ${agents.join(' and ')}`
  const asker = `The MCP server ${server} asks${during}`
  if ('schema' in asks) return { kind: 'form', asker, message, fields: formFields(asks.schema) }
  const url = shownUrl(asks.url)
  if (url !== undefined) return { kind: 'page', asker, message, url }
  const why = 'only http and https addresses of at most 2,000 characters are shown to a person'
  return { kind: 'declined', answer: declineWithoutAsking(asked, why) }
}
