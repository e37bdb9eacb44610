import type { ExportedRun } from '@cadre/api'
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { plural, timeText } from '../parts/format.ts'
import { KeyHelp } from '../shell/key-help.tsx'
import { navigate, route } from '../shell/navigate.ts'
import { hrefOf, type ViewName } from '../shell/route.ts'
import { ToastList } from '../shell/toast-list.tsx'
import { useCommands } from '../shell/use-commands.ts'
import { useStore } from '../store/app-context.ts'
import type { ViewProps } from '../views/registry.ts'
import { Runs } from '../views/runs/runs.tsx'
import { Session } from '../views/session/session.tsx'
import { Timeline } from '../views/timeline/timeline.tsx'

const views: { readonly [name in ViewName]?: ComponentType<ViewProps> } = {
  runs: Runs,
  sessions: Session,
  timeline: Timeline,
}

/** An exported run's page: its tree, its conversations and its timeline. */
export function ExportApp({ run }: { readonly run: ExportedRun }) {
  const store = useStore()
  const isHelpOpen = useSignal(false)
  useCommands({
    goRuns: () => navigate('runs'),
    goTimeline: () => navigate('timeline', run.root),
    help: () => {
      isHelpOpen.value = true
    },
    back: () => (route.value.view === 'runs' ? false : navigate('runs')),
  })
  const { view, id, query } = route.value
  const View = views[view]
  useEffect(() => {
    document.getElementById('main')?.focus()
  }, [view, id])
  const links = [
    ['Tree', hrefOf('runs'), view === 'runs', 'g r'],
    ['Session', hrefOf('sessions', run.shown), view === 'sessions', ''],
    ['Timeline', hrefOf('timeline', run.root), view === 'timeline', 'g l'],
  ] as const
  return (
    <div class="page" data-state="exported" data-ready={store.isReady.value}>
      <header class="bar">
        <strong class="brand">Cadre</strong>
        <nav aria-label="Views">
          <ul>
            {links.map(([title, href, isCurrent, keys]) => (
              <li key={title}>
                <a
                  href={href}
                  aria-current={isCurrent ? 'page' : undefined}
                  title={keys ? `${title} (${keys})` : title}
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="bar-end">
          <button
            type="button"
            class="quiet"
            aria-label="Show the keys"
            onClick={() => {
              isHelpOpen.value = true
            }}
          >
            <kbd>?</kbd>
          </button>
        </div>
      </header>
      <div class="content">
        <p class="banner" role="status">
          {run.root}, {plural(run.sessions.length, 'session')}, exported {timeText(run.exportedAt)}. This copy
          does not change, and secrets in known formats are masked.
        </p>
        <main id="main" tabIndex={-1}>
          {View === undefined ? (
            <p class="empty">
              This file contains only one run's tree, sessions and timeline.{' '}
              <a href={hrefOf('runs')}>Show the tree</a>
            </p>
          ) : (
            <View key={view} id={id} query={query} />
          )}
        </main>
      </div>
      {isHelpOpen.value && (
        <KeyHelp
          onClose={() => {
            isHelpOpen.value = false
          }}
        />
      )}
      <ToastList />
    </div>
  )
}
