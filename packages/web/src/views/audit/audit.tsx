import type { JsonObject } from '@cadre/core'
import { CommandHint } from '../../parts/command-hint.tsx'
import { ExactText } from '../../parts/exact-text.tsx'
import { Fault } from '../../parts/fault.tsx'
import { plural, timeText } from '../../parts/format.ts'
import { SelectList } from '../../parts/select-list.tsx'
import { visibleLine } from '../../parts/show-hidden.ts'
import { useWindowWidth } from '../../parts/use-window-width.ts'
import { navigate, replaceQuery } from '../../shell/navigate.ts'
import { hrefOf } from '../../shell/route.ts'
import { useCommands } from '../../shell/use-commands.ts'
import { useStore } from '../../store/app-context.ts'
import type { ViewProps } from '../registry.ts'
import { auditCommand, auditLine } from './audit-line.ts'
import { useAudit } from './use-audit.ts'

const types = [
  'call.judged',
  'call.settled',
  'person.asked',
  'person.answered',
  'session.started',
  'session.ended',
  'trust.given',
  'trust.declined',
]

/** Decisions and actions, newest first: who or what allowed or denied each call. */
export function Audit({ query }: ViewProps) {
  const store = useStore()
  const filter = {
    type: query['type'] ?? '',
    session: query['session'] ?? '',
    decision: query['decision'] ?? '',
  }
  const audit = useAudit(filter)
  // Older lines are added at the end, so a line keeps its position until the list is reloaded.
  const at = Number(query['line'] ?? -1)
  const current = audit.lines[at]
  // A row has two lines next to the details, and on a phone.
  const isWide = useWindowWidth(861) && current === undefined
  const set = (changed: Readonly<Record<string, string>>) => {
    const next = { ...filter, ...changed }
    replaceQuery(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== '')))
  }
  useCommands({
    back: () => {
      if (query['line'] === undefined) return false
      set({})
      return undefined
    },
  })
  return (
    <div
      class={current === undefined ? 'split split-single' : 'split'}
      data-loaded={!audit.isLoading || audit.lines.length > 0}
    >
      <section class="split-list" aria-label="Audit">
        <div class="toolbar">
          <h1>Audit</h1>
          <label class="inline-field">
            Type
            <select value={filter.type} onChange={(event) => set({ type: event.currentTarget.value })}>
              <option value="">all</option>
              {types.map((type) => (
                <option key={type} value={type}>
                  {type}
                </option>
              ))}
              {filter.type !== '' && !types.includes(filter.type) && (
                <option value={filter.type}>{filter.type}</option>
              )}
            </select>
          </label>
          <label class="inline-field">
            Decision
            <select
              value={filter.decision}
              onChange={(event) => set({ decision: event.currentTarget.value })}
            >
              <option value="">all</option>
              {['allow', 'ask', 'deny', 'approve', 'approve-session', 'reject'].map((decision) => (
                <option key={decision} value={decision}>
                  {decision}
                </option>
              ))}
            </select>
          </label>
          <label class="inline-field">
            Session
            <input
              type="search"
              maxLength={300}
              placeholder="complete session id"
              value={filter.session}
              onChange={(event) => set({ session: event.currentTarget.value.trim() })}
            />
          </label>
          <button type="button" disabled={audit.isLoading} onClick={audit.reload}>
            Reload
          </button>
          <span class="dim">
            {plural(audit.lines.length, 'line')}
            {audit.hasMore && ', and older ones'}
          </span>
          <CommandHint command={auditCommand(store.me.value?.home ?? '.cadre', filter)} />
        </div>
        <Fault
          answer={{ value: undefined, error: audit.error, isLoading: audit.isLoading, reload: audit.reload }}
        />
        {!audit.isLoading && audit.lines.length === 0 ? (
          <p class="empty">
            {audit.hasMore
              ? 'No line matches in the newest part of the log.'
              : 'No line matches. Cadre writes a line for every decision on a call, and for every answer by a person.'}
          </p>
        ) : (
          <SelectList
            label="Audit log"
            count={audit.lines.length}
            rowHeight={isWide ? 30 : 48}
            selected={at}
            onSelect={(index) =>
              replaceQuery({
                ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== '')),
                line: String(index),
              })
            }
            onEnter={(index) => {
              const session = audit.lines[index]?.['session']
              if (typeof session === 'string') navigate('sessions', session)
            }}
            onEnd={audit.readMore}
            row={(index) => <Line line={audit.lines[index] as JsonObject} isWide={isWide} />}
          />
        )}
        {audit.hasMore && (
          <p class="list-end">
            <button type="button" disabled={audit.isLoading} onClick={audit.readMore}>
              Load older lines
            </button>
          </p>
        )}
      </section>
      {current !== undefined && <LineDetail line={current} />}
    </div>
  )
}

function Line({ line, isWide }: { readonly line: JsonObject; readonly isWide: boolean }) {
  const { at, type, title, detail, decision } = auditLine(line)
  return (
    <span class={isWide ? 'audit-line audit-line-wide' : 'audit-line'}>
      <span class="audit-time dim">{timeText(at)}</span>
      <span>
        <strong class={`decision decision-${decision ?? 'none'}`}>{visibleLine(decision ?? '')}</strong>{' '}
        <span>{visibleLine(type)}</span> <strong>{visibleLine(title)}</strong>
      </span>
      <span class="audit-detail dim">{visibleLine(detail.slice(0, 300))}</span>
    </span>
  )
}

function LineDetail({ line }: { readonly line: JsonObject }) {
  const { at, type, session } = auditLine(line)
  return (
    <section class="split-detail" aria-label="Selected line">
      <h2>{visibleLine(type)}</h2>
      <p class="dim">{timeText(at)}</p>
      {session !== undefined && (
        <p class="links">
          <a class="button" href={hrefOf('sessions', session)}>
            Open its session <kbd>Enter</kbd>
          </a>
        </p>
      )}
      <ExactText text={JSON.stringify(line, null, 2)} label="Complete line" />
    </section>
  )
}
