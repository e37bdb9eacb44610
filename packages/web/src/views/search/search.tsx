import type { SearchHit } from '@cadre/api'
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { CommandHint } from '../../parts/command-hint.tsx'
import { Fault } from '../../parts/fault.tsx'
import { plural, timeText } from '../../parts/format.ts'
import { shellWord } from '../../parts/shell-word.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { useAnswer } from '../../parts/use-answer.ts'
import { replaceQuery } from '../../shell/navigate.ts'
import { useCommands } from '../../shell/use-commands.ts'
import { useStore } from '../../store/app-context.ts'
import type { ViewProps } from '../registry.ts'
import { findApprovals, safePath } from './find-approvals.ts'

const kinds: readonly (readonly [SearchHit['kind'], string])[] = [
  ['session', 'Sessions'],
  ['task', 'Tasks'],
  ['approval', 'Approvals'],
  ['memory', 'Memory'],
]

const shortest = 2

/** Finds text in sessions, tasks, approvals and memory. */
export function Search({ query }: ViewProps) {
  const store = useStore()
  const { client } = store
  const text = query['text'] ?? ''
  const typed = useSignal(text)
  const field = useRef<HTMLInputElement>(null)
  const isAsked = text.trim().length >= shortest
  const answer = useAnswer(
    async (signal) => {
      if (!isAsked) return undefined
      const [found, approvals] = await Promise.all([
        client.search({ query: { text: text.trim(), limit: 100 }, signal }),
        client.listApprovals({ query: { status: 'all', limit: 500 }, signal }),
      ])
      return { ...found, items: [...found.items, ...findApprovals(approvals.items, text)] }
    },
    { of: [text] },
  )
  // Before the browser paints, so that what a person types after seeing the view goes into the field.
  useLayoutEffect(() => field.current?.focus(), [])
  useCommands({ filter: () => field.current?.focus() })
  const hits = answer.value?.items ?? []
  const home = store.me.value?.home ?? '.cadre'
  return (
    <section class="search" aria-label="Search" data-loaded={!answer.isLoading}>
      <form
        class="toolbar"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          replaceQuery(typed.peek().trim() === '' ? {} : { text: typed.peek().trim() })
        }}
      >
        <h1>Search</h1>
        <input
          ref={field}
          type="search"
          aria-label="Text to find"
          maxLength={200}
          placeholder="Text in sessions, tasks, approvals and memory"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
        />
        <button type="submit" class="primary" disabled={typed.value.trim().length < shortest}>
          Find <kbd>Enter</kbd>
        </button>
        {isAsked && (
          <CommandHint
            command={`grep -rniF -- ${shellWord(text)} ${['sessions', 'tasks', 'memory'].map((name) => shellWord(`${home}/${name}`)).join(' ')}`}
          />
        )}
      </form>
      <Fault answer={answer} />
      <p class="unseen" role="status">
        {answer.value !== undefined && `${plural(hits.length, 'result')}`}
      </p>
      {!isAsked && <p class="empty">Type at least {shortest} characters, and press Enter.</p>}
      {isAsked && answer.isLoading && <p class="hint search-hint">Searching…</p>}
      {answer.value !== undefined && hits.length === 0 && <p class="empty">No results.</p>}
      {answer.value !== undefined && answer.value.complete === false && (
        <p class="hint search-hint">
          There may be more results, because one search covers only part of a large home. Search for a more
          specific text, or use the command.
        </p>
      )}
      {kinds.map(([kind, title]) => {
        const found = hits.filter((hit) => hit.kind === kind)
        if (found.length === 0) return null
        return (
          <section key={kind} aria-label={title}>
            <h2>
              {title} <span class="dim">{found.length}</span>
            </h2>
            <ul>
              {found.map((hit) => (
                <li key={hit.id}>
                  <Hit hit={hit} text={text} />
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </section>
  )
}

function Hit({ hit, text }: { readonly hit: SearchHit; readonly text: string }) {
  const { title, id, excerpt, at, url } = hit
  const path = hit.kind === 'memory' ? undefined : safePath(url)
  const content = (
    <>
      <span class="waiting-line">
        <strong>{visibleLine(title)}</strong> <span class="dim">{visibleLine(id)}</span>
        {at !== undefined && <span class="dim"> {timeText(at)}</span>}
      </span>
      <span>
        <Marked text={visibleLine(excerpt)} wanted={text} />
      </span>
    </>
  )
  return path === undefined ? (
    <div class="waiting-item">{content}</div>
  ) : (
    <a class="waiting-item" href={path} data-hit={id}>
      {content}
    </a>
  )
}

function Marked({ text, wanted }: { readonly text: string; readonly wanted: string }) {
  const at = text.toLowerCase().indexOf(wanted.trim().toLowerCase())
  if (at < 0) return <>{text}</>
  const end = at + wanted.trim().length
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  )
}
