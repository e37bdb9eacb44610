import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { Command } from '../parts/command-hint.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { commandLine } from '../parts/shell-word.ts'
import { visibleLine } from '../parts/show-hidden.ts'
import { stateOf } from '../parts/state-mark.tsx'
import { useStore } from '../store/app-context.ts'
import { logOut } from '../store/browser-login.ts'
import type { Store } from '../store/create-store.ts'
import { views } from '../views/registry.ts'
import { navigate } from './navigate.ts'
import { matchCommands, type PaletteCommand } from './palette-commands.ts'
import { attempt } from './toasts.ts'
import { viewCommands } from './view-commands.ts'

const most = 50

/** Finds any command and any listed session as the person types. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const store = useStore()
  const typed = useSignal('')
  const selected = useSignal(0)
  const lasting = useMemo(() => [...pageCommands(store), ...sessionCommands(store)], [])
  // A view may be loaded after the palette was opened.
  const all = [...viewCommands.value, ...lasting]
  const found = matchCommands(all, typed.value).slice(0, most)
  const at = Math.min(selected.value, found.length - 1)
  const run = (command: PaletteCommand | undefined) => {
    if (command === undefined) return
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by !== 0) selected.value = (at + by + found.length) % Math.max(1, found.length)
    else if (event.key === 'Enter' && !event.isComposing) run(found[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Find a command or a session" onClose={onClose} class="palette">
      <input
        type="text"
        role="combobox"
        aria-label="Find"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={at >= 0 ? `palette-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
          selected.value = 0
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="Commands">
        {found.map((command, index) => (
          <li
            key={command.title}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => run(command)}
          >
            <span class="palette-title">{command.title}</span>
            <span class="dim">{command.hint}</span>
            {command.keys !== undefined && <kbd>{command.keys}</kbd>}
            {command.command !== undefined && <Command line={command.command} />}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="empty">Nothing matches.</p>}
    </Dialog>
  )
}

function pageCommands({ client, approvals }: Store): PaletteCommand[] {
  const waiting = approvals.pending.peek()
  return [
    ...views
      .filter(({ command }) => command !== undefined)
      .map(({ name, title, hint, keys }) => ({
        title: `Go to ${title}`,
        hint,
        ...(keys !== undefined && { keys }),
        run: () => navigate(name),
      })),
    ...waiting.map(({ id, agent, action }) => ({
      title: `Decide: ${agent}`,
      hint: visibleLine(action.slice(0, 80)),
      command: commandLine('cadre', 'approve', id),
      run: () => navigate('waiting', id),
    })),
    {
      title: 'Sign out',
      hint: 'in all tabs of this browser',
      run: () => void attempt(() => logOut(client)).then(() => location.reload()),
    },
  ]
}

function sessionCommands({ rows }: Store): PaletteCommand[] {
  return rows.roots.slice(0, 500).map((cell) => {
    const row = cell.row.peek()
    return {
      title: `${row.agent} ${row.id}`,
      hint: `${stateOf(row)} · ${visibleLine(row.work)}`,
      command: commandLine('cadre', 'sessions', 'show', row.id),
      run: () => navigate('sessions', row.id),
    }
  })
}
