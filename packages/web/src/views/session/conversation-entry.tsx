import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { CallCard } from '../../parts/call/call-card.tsx'
import { costText, plural, shortNumber, timeText } from '../../parts/format.ts'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { useStore } from '../../store/app-context.ts'
import type { ConversationItem } from './read-conversation.ts'

export interface ConversationEntryProps {
  readonly session: string
  readonly agent: string
  readonly item: ConversationItem
  readonly progress: ReadonlySignal<ReadonlyMap<string, string>>
  readonly onRewind: (action: 'rewind' | 'fork') => void
  readonly child: (id: string) => ComponentChildren
}

/** A message, a reply with its calls, or a note. */
export function ConversationEntry({
  session,
  agent,
  item,
  progress,
  onRewind,
  child,
}: ConversationEntryProps) {
  if (item.kind === 'note')
    return (
      <p class="entry entry-note" id={`entry-${item.seq}`} tabIndex={-1}>
        {item.text} <span class="dim">· {timeText(item.at)}</span>
      </p>
    )
  const isReply = item.kind === 'reply'
  const who = isReply ? agent : item.from === 'person' ? 'Person' : item.from
  return (
    <article
      class={`entry entry-${item.kind} ${item.isEarlier ? 'entry-earlier' : ''}`}
      id={`entry-${item.seq}`}
      tabIndex={-1}
      aria-label={`${who}, entry ${item.seq}`}
    >
      <header class="entry-head">
        <strong>{who}</strong>
        <span class="dim">
          {timeText(item.at)}
          {item.isEarlier && ' · from an earlier session'}
          {isReply && item.isOutdated && ' · ignored: the journal was edited before this reply arrived'}
          {isReply && item.stop !== undefined && ` · incomplete (${item.stop})`}
          {isReply &&
            item.usage !== undefined &&
            ` · ${shortNumber(item.usage.input)} in, ${shortNumber(item.usage.output)} out, ${costText(item.usage.cost)}`}
        </span>
        {item.seq > 1 && !item.isEarlier && <EntryActions seq={item.seq} onRewind={onRewind} />}
      </header>
      {item.text !== '' && <Markdown text={item.text} />}
      {!isReply && item.images > 0 && <p class="dim">{plural(item.images, 'image')}</p>}
      {isReply && item.calls.length > 0 && (
        <div class="calls">
          {item.calls.map((call) => (
            <CallCard
              key={call.id}
              session={session}
              call={call}
              progress={call.status === 'running' ? progress.value.get(call.id) : undefined}
              child={child}
            />
          ))}
        </div>
      )}
    </article>
  )
}

function EntryActions({
  seq,
  onRewind,
}: {
  readonly seq: number
  readonly onRewind: (action: 'rewind' | 'fork') => void
}) {
  if (!useStore().may('operator')) return null
  return (
    <span class="entry-actions">
      <button
        type="button"
        class="quiet"
        aria-label={`Rewind to before entry ${seq}`}
        onClick={() => onRewind('rewind')}
      >
        Rewind…
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={`Fork before entry ${seq}`}
        onClick={() => onRewind('fork')}
      >
        Fork…
      </button>
    </span>
  )
}
