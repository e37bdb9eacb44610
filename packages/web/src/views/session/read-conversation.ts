import {
  applyToView,
  type CallView,
  type Entry,
  emptyView,
  eventsOf,
  isOutdated,
  type Report,
  type RoundView,
  type StoredSession,
  type Usage,
} from '@cadre/core'
import { visibleLine } from '../../parts/show-hidden.ts'
import { readableResults } from './readable-results.ts'

/** One part of a conversation. `seq` is the number of its entry, for a rewind or a fork. */
export type ConversationItem =
  | {
      readonly kind: 'message'
      readonly seq: number
      readonly at: string
      /** `person`, `cadre`, or a name. */
      readonly from: string
      readonly text: string
      readonly isEarlier: boolean
      readonly images: number
    }
  | {
      readonly kind: 'reply'
      readonly seq: number
      readonly at: string
      readonly text: string
      readonly calls: readonly CallView[]
      readonly usage?: Usage
      readonly model?: string
      readonly isEarlier: boolean
      /** True if the person edited the journal before this reply arrived, so that the reply is ignored. */
      readonly isOutdated: boolean
      readonly stop?: string
    }
  | { readonly kind: 'note'; readonly seq: number; readonly at: string; readonly text: string }

export interface ConversationOf {
  readonly id: string
  readonly agent: string
}

/**
 * Builds a conversation from journal entries, possibly only the last ones. The state of calls comes from the fold that all surfaces use,
 * so that the page and `--json` agree.
 */
export function readConversation(
  { id, agent }: ConversationOf,
  entries: readonly Entry[],
): ConversationItem[] {
  const rounds = foldedRounds({ id, agent }, entries)
  const results = new Map(
    entries.flatMap((entry) => (entry.role === 'tool_result' ? [[entry.tool_call_id, entry]] : [])),
  )
  const noted = new Set(
    entries.flatMap((entry) =>
      entry.role === 'event' && entry.type === 'notice.added' ? [entry.content] : [],
    ),
  )
  let round = 0
  return entries.flatMap((entry): ConversationItem[] => {
    const { seq, timestamp: at } = entry
    switch (entry.role) {
      case 'user':
        return [
          {
            kind: 'message',
            seq,
            at,
            from: entry.from ?? 'person',
            text: readableResults(entry.content),
            isEarlier: entry.earlier === true,
            images: entry.images?.length ?? 0,
          },
        ]
      case 'assistant': {
        const isCounted = entry.earlier !== true && !isOutdated(entry)
        if (isCounted) round += 1
        const known = isCounted ? rounds[round - 1]?.toolCalls : undefined
        return [
          {
            kind: 'reply',
            seq,
            at,
            text: entry.content ?? '',
            calls:
              known ??
              (entry.tool_calls ?? []).map((call) => {
                const result = results.get(call.id)
                return {
                  id: call.id,
                  name: call.function.name,
                  input: call.function.arguments,
                  status: result === undefined ? 'cancelled' : (result.outcome ?? 'done'),
                  ...(result !== undefined && { content: result.content }),
                }
              }),
            ...(entry.usage && { usage: entry.usage }),
            ...(entry.model !== undefined && { model: entry.model }),
            isEarlier: entry.earlier === true,
            isOutdated: isOutdated(entry),
            ...(entry.stop && { stop: entry.stop }),
          },
        ]
      }
      case 'tool_result':
        return []
      case 'event': {
        const text = noteOf(entry, noted)
        return text === undefined ? [] : [{ kind: 'note', seq, at, text }]
      }
      default:
        return []
    }
  })
}

function foldedRounds({ id, agent }: ConversationOf, entries: readonly Entry[]): readonly RoundView[] {
  const spec = {
    id,
    root: id,
    agent: { name: agent },
    model: '',
    depth: 0,
    work: { content: '' },
    created: '',
  }
  const view = emptyView()
  for (const event of eventsOf({ spec, entries } as unknown as StoredSession)) applyToView(view, event)
  return view.sessions.get(id)?.rounds ?? []
}

/**
 * Text for a person about an entry that the model does not see. Decisions are shown with their calls. Notices in the report without an entry
 * of their own explain why a session ended early.
 */
function noteOf(
  entry: Extract<Entry, { role: 'event' }>,
  noted: ReadonlySet<string | undefined>,
): string | undefined {
  const { type, content } = entry
  switch (type) {
    case 'notice.added':
      return content
    case 'session.resumed':
      return 'Resumed'
    case 'session.suspended':
      return 'Suspended until a person decides'
    case 'session.stopped':
      return `Stopped: ${content ?? ''}`
    case 'context.compacted':
      return `Earlier messages were summarised: ${content ?? ''}`
    case 'journal.edited':
      return `The journal was edited: ${content ?? ''}`
    case 'session.ended': {
      const { status = '', notices = [] } = (entry['report'] ?? {}) as Partial<Report>
      const unseen = notices.filter(({ message }) => !noted.has(message))
      return [`Ended: ${status}`, ...unseen.map(({ message }) => visibleLine(message))].join(' · ')
    }
    default:
      return undefined
  }
}
