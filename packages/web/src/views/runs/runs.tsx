import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Command } from '../../parts/command-hint.tsx'
import { plural } from '../../parts/format.ts'
import { useWindowWidth } from '../../parts/use-window-width.ts'
import { VirtualRows } from '../../parts/virtual-rows.tsx'
import { navigate, replaceQuery } from '../../shell/navigate.ts'
import { attempt, notify } from '../../shell/toasts.ts'
import { useCommands } from '../../shell/use-commands.ts'
import { useViewCommands } from '../../shell/view-commands.ts'
import { useStore } from '../../store/app-context.ts'
import type { ViewProps } from '../registry.ts'
import type { FlatRow } from './flatten.ts'
import { Peek } from './peek.tsx'
import { RunHead, RunRow } from './run-row.tsx'
import { StartDialog } from './start-dialog.tsx'
import { useFoundTrees } from './use-found-trees.ts'
import { useTree } from './use-tree.ts'

/** The live tree of all sessions. */
export function Runs({ query }: ViewProps) {
  const store = useStore()
  const filter = useSignal(query['filter'] ?? '')
  const tree = useTree(filter)
  useFoundTrees(filter)
  // Below this width, a row opens its session directly, because there is no room next to the tree.
  const hasPeek = useWindowWidth(1080)
  const field = useRef<HTMLInputElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const isNarrow = useSignal(false)
  const isStarting = useSignal(false)
  const pageRows = useRef(20)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      isNarrow.value = element.clientWidth <= 640
      pageRows.current = Math.max(1, Math.floor(element.clientHeight / 32) - 2)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => () => store.rows.freeze(false), [])
  const flat = tree.flat.value
  const at = tree.selected.value
  const current = flat[at]
  const move = (by: number) => {
    if (flat.length === 0) return false
    // Rows do not move while a person uses the keys in the list. At the top, new runs appear again.
    store.rows.freeze(at + by > 0)
    tree.select(at + by)
    return undefined
  }
  const show = (row: FlatRow | undefined) => (row === undefined ? false : navigate('sessions', row.cell.id))
  useCommands({
    down: () => move(1),
    up: () => move(-1),
    first: () => move(-flat.length),
    last: () => {
      // Also works without scrolling, for example after a page could not be loaded.
      if (at === flat.length - 1) void attempt(store.readMore)
      return move(flat.length)
    },
    pageDown: () => move(pageRows.current),
    pageUp: () => move(-pageRows.current),
    open: () => {
      if (current?.isOpen === undefined) return false
      return current.isOpen ? move(1) : tree.open(current)
    },
    close: () => {
      if (current === undefined) return false
      if (current.isOpen === true) return tree.close(current)
      return current.cell.parent === undefined ? false : tree.select(indexOfParent(flat, at))
    },
    enter: () => show(current),
    filter: () => field.current?.focus(),
    follow: () => {
      store.rows.release()
      tree.select(0)
    },
    back: () => {
      if (filter.peek() === '') return false
      setFilter('')
      return undefined
    },
  })
  useViewCommands(
    [
      {
        title: 'Start a run',
        hint: 'Give an agent some work',
        command: 'cadre run "…"',
        run: () => {
          if (store.may('operator')) isStarting.value = true
          else notify('Starting a run needs the daemon (cadre up) and the role operator.', 'error')
        },
      },
    ],
    'runs',
  )
  const setFilter = (text: string) => {
    filter.value = text
    replaceQuery(text === '' ? {} : { filter: text })
  }
  // The list is loaded in parts. A filter also finds sessions that are not loaded.
  const hasMore = filter.value === '' && store.next.value !== undefined
  const isEmpty = store.isReady.value && flat.length === 0
  return (
    <div class="runs">
      <section class="runs-list" aria-label="Runs" ref={box}>
        <div class="toolbar">
          <h1>Runs</h1>
          <input
            ref={field}
            type="search"
            data-escape
            aria-label="Filter sessions"
            placeholder="Filter: words, state:waiting, agent:lead"
            value={filter.value}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
          {store.may('operator') && (
            <button
              type="button"
              onClick={() => {
                isStarting.value = true
              }}
            >
              Start a run…
            </button>
          )}
          {store.rows.held.value > 0 && (
            <button type="button" onClick={() => store.rows.release()}>
              {store.rows.held.value} new <kbd>.</kbd>
            </button>
          )}
          <span class="dim" aria-hidden="true">
            {hasMore ? `${flat.length}+ sessions` : plural(flat.length, 'session')}
          </span>
        </div>
        {isEmpty ? (
          <p class="empty">
            {filter.value === '' ? (
              <>
                No sessions yet. Start one: <Command line={'cadre run "…"'} />
              </>
            ) : (
              <>No listed session matches. To find other sessions, use Search.</>
            )}
          </p>
        ) : (
          <VirtualRows
            class="tree"
            count={flat.length}
            rowHeight={isNarrow.value ? 52 : 32}
            {...(!isNarrow.value && { head: { height: 28, row: <RunHead /> } })}
            selected={at}
            onEnd={() => void attempt(store.readMore)}
            attributes={({ from, to }) => ({
              role: 'treegrid',
              'aria-label': 'Sessions',
              tabIndex: 0,
              // A row that is not rendered cannot be referenced.
              'aria-activedescendant': at >= from && at < to ? `run-${at}` : undefined,
              onPointerEnter: () => store.rows.freeze(true),
              onPointerLeave: () => {
                store.rows.freeze(false)
                store.rows.release()
              },
            })}
            row={(index, style) => {
              const row = flat[index] as FlatRow
              return (
                <RunRow
                  key={row.cell.id}
                  flat={row}
                  index={index}
                  isSelected={index === at}
                  style={style}
                  onSelect={() => {
                    tree.select(index)
                    if (!hasPeek) show(row)
                  }}
                  onToggle={() => (row.isOpen ? tree.close(row) : tree.open(row))}
                  onShow={() => show(row)}
                />
              )
            }}
          />
        )}
      </section>
      {isStarting.value && (
        <StartDialog
          onClose={() => {
            isStarting.value = false
          }}
        />
      )}
      {hasPeek && current !== undefined && <Peek key={current.cell.id} cell={current.cell} />}
    </div>
  )
}

function indexOfParent(flat: readonly FlatRow[], at: number): number {
  const parent = flat[at]?.cell.parent
  return flat.findIndex(({ cell }) => cell === parent)
}
