import type { SessionDetail } from '@cadre/api'
import { useSignal } from '@preact/signals'
import { useContext, useEffect } from 'preact/hooks'
import { BudgetBars } from '../../parts/budget-bars.tsx'
import { CommandHint } from '../../parts/command-hint.tsx'
import { plural, timeText } from '../../parts/format.ts'
import { commandLine } from '../../parts/shell-word.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { StateMark, stateOf } from '../../parts/state-mark.tsx'
import { UsageFacts } from '../../parts/usage-facts.tsx'
import { navigate } from '../../shell/navigate.ts'
import { hrefOf } from '../../shell/route.ts'
import { useCommands } from '../../shell/use-commands.ts'
import { ExportContext, useStore } from '../../store/app-context.ts'
import { pendingUnder } from '../../store/pending-under.ts'
import type { ViewProps } from '../registry.ts'
import { Conversation } from './conversation-view.tsx'
import { Journal } from './journal.tsx'
import { SessionActions } from './session-actions.tsx'

/** One session: its conversation, its calls with who allowed them, and the actions that a person can take. */
export function Session({ id, query }: ViewProps) {
  if (id === undefined) return <p class="empty">Choose a session in Runs.</p>
  return <SessionPage key={id} id={id} tab={query['tab'] === 'journal' ? 'journal' : 'conversation'} />
}

function SessionPage({ id, tab: wanted }: { readonly id: string; readonly tab: 'conversation' | 'journal' }) {
  const isExport = useContext(ExportContext)
  const tab = isExport ? 'conversation' : wanted
  const store = useStore()
  const detail = useSignal<SessionDetail | undefined>(undefined)
  const error = useSignal<string | undefined>(undefined)
  const row = store.rows.get(id)?.row.value ?? detail.value?.row
  const state = row?.state
  // The owner and the handoffs change with the state.
  useEffect(() => {
    const stop = new AbortController()
    store.client.getSession({ params: { id }, signal: stop.signal }).then(
      (found) => {
        detail.value = found
        error.value = undefined
      },
      (reason: unknown) => {
        if (!stop.signal.aborted) error.value = reason instanceof Error ? reason.message : String(reason)
      },
    )
    return () => stop.abort()
  }, [id, state, store.versions.snapshot.value])
  const root = detail.value?.row.root
  useEffect(() => (root === undefined ? undefined : store.openTree(root)), [root])
  // Reading the structure makes the component update when the session's own row arrives.
  store.rows.structure.value
  useCommands({
    back: () => navigate('runs'),
    close: () => (row?.parent === undefined ? false : navigate('sessions', row.parent)),
  })
  if (error.value !== undefined && detail.value === undefined)
    return (
      <div class="empty" role="alert">
        <h1>{visibleLine(id)}</h1>
        <p>
          {error.value} <a href={hrefOf('runs')}>Go to Runs</a>
        </p>
      </div>
    )
  if (detail.value === undefined || row === undefined) return <p class="empty">Loading…</p>
  const { chain, workspace, isolated, startedBy, owner } = detail.value
  // Without a daemon, the run does not continue automatically after the last decision.
  const needsResume =
    store.me.value?.daemon === false &&
    !store.me.value.readOnly &&
    owner === undefined &&
    (row.state === 'waiting' || row.state === 'stopped') &&
    row.subtree.waiting === 0
  return (
    <div class="session" data-session={id}>
      <header class="session-head">
        <div>
          <h1>
            {visibleLine(row.agent)} <StateMark state={stateOf(row)} />
          </h1>
          <p class="dim">
            {id}
            {chain.length > 1 && ` · ${visibleLine(chain.join(' › '))}`}
          </p>
          {row.doing !== undefined && <p class="peek-doing">{visibleLine(row.doing)}</p>}
          <PendingBelow id={id} />
          {needsResume && (
            <p class="session-resume">
              No pending approvals. Continue with:{' '}
              <CommandHint command={commandLine('cadre', 'resume', row.root)} />
            </p>
          )}
        </div>
        <nav aria-label="Session">
          {row.parent !== undefined && (
            <a class="button" href={hrefOf('sessions', row.parent)}>
              Parent <kbd>h</kbd>
            </a>
          )}
          <a class="button" href={hrefOf('timeline', row.root, { session: id })}>
            Timeline
          </a>
          <a
            class="button"
            href={hrefOf('sessions', id)}
            aria-current={tab === 'conversation' ? 'page' : undefined}
          >
            Conversation
          </a>
          {!isExport && (
            <a
              class="button"
              href={hrefOf('sessions', id, { tab: 'journal' })}
              aria-current={tab === 'journal' ? 'page' : undefined}
            >
              Journal
            </a>
          )}
        </nav>
      </header>
      <div class="session-body">
        <section class="session-main" aria-label={tab === 'journal' ? 'Journal' : 'Conversation'}>
          {tab === 'journal' ? (
            <Journal id={id} />
          ) : (
            <Conversation id={id} root={row.root} agent={row.agent} isMain />
          )}
        </section>
        <aside class="session-side" aria-label="About this session">
          <SessionActions detail={detail.value} row={row} />
          <dl class="facts">
            <UsageFacts row={row} />
            <dt>Workspace</dt>
            <dd>
              <code>{workspace}</code>
              {isolated && ' (its own)'}
            </dd>
            <dt>Started</dt>
            <dd>
              {timeText(row.created)}
              {startedBy !== undefined && ` by ${startedBy}`}
            </dd>
            {owner !== undefined && (
              <>
                <dt>Process</dt>
                <dd>
                  {owner.pid}
                  {owner.here ? ' (the daemon)' : ' (another process)'}
                </dd>
              </>
            )}
          </dl>
          <BudgetBars subtree={row.subtree} />
        </aside>
      </div>
    </div>
  )
}

/** The session's own approvals are in its conversation. Those of the sessions below it are not, so it leads to them. */
function PendingBelow({ id }: { readonly id: string }) {
  const below = pendingUnder(useStore(), id).filter(({ session }) => session !== id)
  if (below.length === 0) return null
  return (
    <p>
      <a href={hrefOf('waiting', below[0]?.id)}>{plural(below.length, 'pending approval')} below it</a>
    </p>
  )
}
