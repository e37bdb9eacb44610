import type { Operations } from '@cadre/api'
import type { JsonObject } from '@cadre/core'

/** The stream's parameters. `openStream` handles these requests, because their answers never end. */
export const eventsQuery: { readonly [Key in keyof Operations['events']['query']]-?: JsonObject } = {
  after: {
    type: 'string',
    maxLength: 100,
    description: 'Continue after this event, or from the `at` of an answer. Default: now',
  },
  index: { type: 'boolean', description: 'Also send an event when a row in the list of sessions changes' },
  root: {
    type: 'array',
    items: { type: 'string', maxLength: 300 },
    maxItems: 100,
    description: 'Entry sessions whose trees to follow; repeatable',
  },
}
