import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Boundary } from '../parts/boundary.tsx'
import { useStore } from '../store/app-context.ts'
import { views } from '../views/registry.ts'
import { Banners } from './banners.tsx'
import { KeyHelp } from './key-help.tsx'
import { isViewLoading, LazyView } from './lazy-view.tsx'
import { navigate, route } from './navigate.ts'
import { Navigation } from './navigation.tsx'
import { NoPage } from './no-page.tsx'
import { Palette } from './palette.tsx'
import { SignedOut } from './signed-out.tsx'
import { ToastList } from './toast-list.tsx'
import { runCommand, useCommands } from './use-commands.ts'
import { useFocusInPage } from './use-focus-in-page.ts'

/** The page: navigation, banners, the view for the current address, and dialogs above it. */
export function App({ loginError }: { readonly loginError: string | undefined }) {
  const store = useStore()
  const above = useSignal<'none' | 'palette' | 'help'>('none')
  const close = () => {
    above.value = 'none'
  }
  const { view, id, query, missing } = route.value
  const isLoading = missing === undefined && isViewLoading(view)
  const palette = () => {
    above.value = 'palette'
  }
  const commands = {
    ...Object.fromEntries(
      views.flatMap(({ command, name }) => (command === undefined ? [] : [[command, () => navigate(name)]])),
    ),
    palette,
    help: () => {
      above.value = 'help'
    },
    nextWaiting: () => goToWaiting(1),
    previousWaiting: () => goToWaiting(-1),
    back: () => (route.value.view === 'runs' && route.value.missing === undefined ? false : navigate('runs')),
  }
  // A person may already be typing into a field of the view that is loading. These letters are not shortcuts; see `keepTypeAhead`.
  useCommands(isLoading ? { palette } : commands)
  useFocusInPage([view, id, missing])
  const title =
    missing === undefined ? (views.find(({ name }) => name === view)?.title ?? 'Cadre') : 'Page not found'
  const waiting = store.waiting.value
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${id ?? title} · Cadre`
  }, [waiting, title, id])
  const { state } = store.connection.value
  if (state === 'signed-out') return <SignedOut why={loginError ?? store.connection.value.why} />
  return (
    <div class="page" data-state={state} data-ready={store.isReady.value}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Navigation
        onPalette={() => void runCommand('palette')}
        onHelp={() => {
          above.value = 'help'
        }}
      />
      <div class="content">
        <Banners />
        <main id="main" tabIndex={-1} aria-busy={isLoading}>
          <Boundary
            key={`${view} ${id} ${missing}`}
            fallback={({ message }) => (
              <p class="empty" role="alert">
                This view failed: {message} Reload the page. If it fails again, please report the problem.
              </p>
            )}
          >
            {missing === undefined ? (
              <LazyView key={view} name={view} id={id} query={query} />
            ) : (
              <NoPage path={missing} />
            )}
          </Boundary>
        </main>
      </div>
      {above.value === 'palette' && <Palette onClose={close} />}
      {above.value === 'help' && <KeyHelp onClose={close} />}
      <ToastList />
    </div>
  )

  /** From an approval, goes to the previous or next one. From elsewhere, goes to the first. */
  function goToWaiting(by: 1 | -1): false | undefined {
    const pending = store.approvals.pending.peek()
    if (pending.length === 0) return false
    const { view, id } = route.value
    // Without an id, Waiting shows the first one.
    const at = view !== 'waiting' ? -1 : id === undefined ? 0 : pending.findIndex((one) => one.id === id)
    const next = at < 0 ? 0 : (at + by + pending.length) % pending.length
    navigate('waiting', pending[next]?.id)
    return undefined
  }
}
