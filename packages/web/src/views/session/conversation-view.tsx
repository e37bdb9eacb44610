import { useComputed, useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ApprovalCard } from '../../parts/approval/approval-card.tsx'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { hrefOf } from '../../shell/route.ts'
import { attempt } from '../../shell/toasts.ts'
import { useCommands } from '../../shell/use-commands.ts'
import { useStore } from '../../store/app-context.ts'
import { ConversationEntry } from './conversation-entry.tsx'
import { readConversation } from './read-conversation.ts'
import { RewindDialog, type RewindTarget } from './rewind-dialog.tsx'
import { useEntries } from './use-entries.ts'
import { useEntryFocus } from './use-entry-focus.ts'

export interface ConversationProps {
  readonly id: string
  readonly root: string
  readonly agent: string
  /** True for the page's main conversation, which keys scroll, and which follows the newest entries. */
  readonly isMain?: boolean
}

/** A session's conversation, with its calls and, inside them, its children's conversations. */
export function Conversation({ id, root, agent, isMain = false }: ConversationProps) {
  const store = useStore()
  const known = useEntries(id, root)
  const items = useComputed(() => readConversation({ id, agent }, known.entries.value))
  const target = useSignal<RewindTarget | undefined>(undefined)
  const isFollowing = useSignal(true)
  const box = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const scrollToEnd = () => end.current?.scrollIntoView({ block: 'end' })
  useCommands({
    follow: () => {
      if (!isMain) return false
      isFollowing.value = true
      scrollToEnd()
      return undefined
    },
  })
  useEntryFocus(box, isMain)
  // Follows the newest entries while the person is at the end.
  useLayoutEffect(() => {
    const element = end.current
    if (element === null || !isMain) return
    const observer = new IntersectionObserver((seen) => {
      isFollowing.value = seen.at(-1)?.isIntersecting ?? false
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [isMain, known.isLoaded.value])
  const count = known.entries.value.length
  const text = known.live.value?.text
  useLayoutEffect(() => {
    if (isMain && isFollowing.peek()) scrollToEnd()
  }, [count, text, isMain])
  const waiting = store.approvals.ofSession(id)
  if (known.error.value !== undefined && !known.isLoaded.value)
    return (
      <p class="empty" role="alert">
        {known.error.value}
      </p>
    )
  return (
    <div class={isMain ? 'conversation conversation-main' : 'conversation'} ref={box}>
      {known.before.value !== undefined && (
        <button
          type="button"
          onClick={() => {
            isFollowing.value = false
            void attempt(known.readEarlier)
          }}
        >
          Show earlier entries
        </button>
      )}
      {items.value.map((item) => (
        <ConversationEntry
          key={item.seq}
          session={id}
          agent={agent}
          item={item}
          progress={known.progress}
          onRewind={(action) => {
            target.value = { action, session: id, seq: item.seq, etag: known.etag.peek() }
          }}
          child={(child) => <Child id={child} root={root} />}
        />
      ))}
      {known.live.value !== undefined && (
        <article class="entry entry-reply entry-live" aria-label={`${agent} is writing`}>
          <header class="entry-head">
            <strong>{agent}</strong> <span class="dim">is writing…</span>
          </header>
          <Markdown text={known.live.value.text} />
        </article>
      )}
      {waiting.map((approval, at) => (
        <ApprovalCard key={approval.id} approval={approval} takesKeys={isMain && at === 0} />
      ))}
      <div ref={end} class="end" />
      {target.value !== undefined && (
        <RewindDialog
          target={target.value}
          onClose={() => {
            target.value = undefined
          }}
          onRewound={known.refresh}
        />
      )}
    </div>
  )
}

/** The conversation of a session that a call started. */
function Child({ id, root }: { readonly id: string; readonly root: string }) {
  const agent = useStore().rows.get(id)?.row.value.agent ?? ''
  return (
    <section class="child" aria-label={`Session ${id}`}>
      <p class="label">
        <a href={hrefOf('sessions', id)}>
          {agent} {id}
        </a>
      </p>
      <Conversation id={id} root={root} agent={agent} />
    </section>
  )
}
