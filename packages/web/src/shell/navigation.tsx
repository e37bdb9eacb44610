import { useEffect, useRef } from 'preact/hooks'
import { plural } from '../parts/format.ts'
import { useStore } from '../store/app-context.ts'
import { views } from '../views/registry.ts'
import { route } from './navigate.ts'
import { hrefOf } from './route.ts'

const words = { live: 'live', connecting: 'connecting…', parked: 'paused', 'signed-out': 'signed out' }

export function Navigation({
  onPalette,
  onHelp,
}: {
  readonly onPalette: () => void
  readonly onHelp: () => void
}) {
  const { connection, waiting, problems, me } = useStore()
  const { view, missing } = route.value
  const counts: Readonly<Record<string, number>> = { waiting: waiting.value, problems: problems.value }
  const { state, why } = connection.value
  const bar = useRef<HTMLElement>(null)
  // On a narrow window not all views fit: the current one must be in sight.
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [view])
  return (
    <header class="bar" ref={bar}>
      <a class="brand" href={hrefOf('runs')}>
        Cadre
      </a>
      <nav aria-label="Views">
        <ul>
          {views
            .filter(({ command }) => command !== undefined)
            .map(({ name, title, keys }) => (
              <li key={name}>
                <a
                  href={hrefOf(name)}
                  aria-current={
                    missing === undefined && (view === name || (view === 'sessions' && name === 'runs'))
                      ? 'page'
                      : undefined
                  }
                  title={`${title} (${keys})`}
                >
                  {title}
                  {(counts[name] ?? 0) > 0 && <span class={`count count-${name}`}>{counts[name]}</span>}
                </a>
              </li>
            ))}
        </ul>
      </nav>
      <p class="unseen" role="status" aria-live="polite">
        {waiting.value === 0 ? '' : plural(waiting.value, 'pending approval')}
      </p>
      <div class="bar-end">
        <button type="button" class="quiet" onClick={onPalette} title="Find a command or a session">
          <span class="wide">Find </span>
          <kbd>Ctrl K</kbd>
        </button>
        <button type="button" class="quiet" onClick={onHelp} aria-label="Show the keys">
          <kbd>?</kbd>
        </button>
        <span class={`connection connection-${state}`} title={why ?? me.value?.home}>
          {words[state]}
        </span>
      </div>
    </header>
  )
}
