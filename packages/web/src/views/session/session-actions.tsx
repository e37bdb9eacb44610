import type { SessionDetail, SessionRow } from '@cadre/api'
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { CommandHint } from '../../parts/command-hint.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { plural } from '../../parts/format.ts'
import { withHome } from '../../parts/home-flag.ts'
import { commandLine } from '../../parts/shell-word.ts'
import { navigate } from '../../shell/navigate.ts'
import { attempt, notify } from '../../shell/toasts.ts'
import { useFocusInPage } from '../../shell/use-focus-in-page.ts'
import { useViewCommands } from '../../shell/view-commands.ts'
import { useStore } from '../../store/app-context.ts'

export interface SessionActionsProps {
  readonly detail: SessionDetail
  readonly row: SessionRow
}

/** Actions: send a message, cancel, resume, hand off. Each shows the equivalent command. */
export function SessionActions({ detail, row }: SessionActionsProps) {
  const store = useStore()
  const { client } = store
  const { id, state } = row
  const text = useSignal('')
  // The key changes only after the message has arrived, so that a retry does not send it twice.
  const key = useRef<string>(crypto.randomUUID())
  const isBusy = useSignal(false)
  const isCancelling = useSignal(false)
  const act = async (action: () => Promise<void>) => {
    if (isBusy.peek()) return
    isBusy.value = true
    await attempt(action)
    isBusy.value = false
  }
  const say = () =>
    act(async () => {
      await client.sendMessage({
        params: { id },
        body: { text: text.peek().trim() },
        idempotencyKey: key.current,
      })
      key.current = crypto.randomUUID()
      text.value = ''
      notify('Message sent.')
    })
  const below = row.subtree.sessions - 1
  const resume = () =>
    act(async () => {
      await client.resumeSession({ params: { id } })
      notify('Session resumed.')
    })
  const isRunning = state === 'queued' || state === 'working' || state === 'waiting'
  const isResumable = canResume(row)
  const mayOperate = store.may('operator')
  // The buttons change with the state.
  useFocusInPage([isRunning, isResumable])
  useViewCommands(
    [
      ...(mayOperate && isRunning
        ? [
            {
              title: `Cancel ${id}`,
              hint: 'and all sessions below it',
              command: commandLine('cadre', 'sessions', 'cancel', id),
              run: () => {
                isCancelling.value = true
              },
            },
          ]
        : []),
      ...(mayOperate && isResumable
        ? [
            {
              title: `Resume ${id}`,
              hint: 'and all sessions below it',
              command: commandLine('cadre', 'resume', id),
              run: () => void resume(),
            },
          ]
        : []),
    ],
    `${id} ${isRunning} ${isResumable} ${mayOperate}`,
  )
  if (!mayOperate) return <p class="hint">{whyNot(store.me.value)}</p>
  return (
    <div class="actions">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void say()
        }}
      >
        <label for="say">Message</label>
        <textarea
          id="say"
          rows={3}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
            key.current = crypto.randomUUID()
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            void say()
          }}
        />
        <div class="action">
          <button type="submit" class="primary" disabled={isBusy.value || text.value.trim() === ''}>
            Send <kbd>Ctrl Enter</kbd>
          </button>
          <CommandHint command={commandLine('cadre', 'resume', id, text.value.trim() || '…')} />
        </div>
      </form>
      {isResumable && (
        <div class="action">
          <button type="button" disabled={isBusy.value} onClick={() => void resume()}>
            Resume
          </button>
          <CommandHint command={commandLine('cadre', 'resume', id)} />
        </div>
      )}
      {isRunning && (
        <div class="action">
          <button
            type="button"
            disabled={isBusy.value}
            onClick={() => {
              isCancelling.value = true
            }}
          >
            Cancel…
          </button>
          <CommandHint command={commandLine('cadre', 'sessions', 'cancel', id)} />
        </div>
      )}
      {detail.handoffs.map(({ label, agent }, handoff) => (
        <div class="action" key={handoff}>
          <button
            type="button"
            disabled={isBusy.value}
            onClick={() =>
              void act(async () => {
                const started = await client.handOff({ params: { id }, body: { handoff } })
                navigate('sessions', started.id)
              })
            }
          >
            Hand off to {agent}: {label}
          </button>
          <CommandHint
            command={`echo '/handoff ${handoff + 1} send' | ${withHome(commandLine('cadre', 'chat', '--resume', id))}`}
          />
        </div>
      ))}
      {isCancelling.value && (
        <Dialog
          title={`Cancel ${row.agent}?`}
          onClose={() => {
            isCancelling.value = false
          }}
        >
          <p>
            Cadre stops this session{below > 0 && ` and ${plural(below, 'session')} below it`}. To continue it
            later, {row.parent === undefined && 'resume it or '}send it a message.
          </p>
          <div class="action">
            <button
              type="button"
              class="danger"
              disabled={isBusy.value}
              onClick={() =>
                void act(async () => {
                  const { cancelled } = await client.cancelSession({ params: { id }, body: {} })
                  isCancelling.value = false
                  notify(cancelled ? 'Cancelled.' : 'The session had already ended.')
                })
              }
            >
              Cancel the session
            </button>
            <button
              type="button"
              onClick={() => {
                isCancelling.value = false
              }}
            >
              Go back <kbd>Esc</kbd>
            </button>
          </div>
        </Dialog>
      )}
    </div>
  )
}

/**
 * The daemon resumes an interrupted session itself, unless something prevents it: then the answer gives the reason. A cancelled or failed
 * session continues only on request. The run of a session with a parent decides what happens to the session.
 */
function canResume({ state, outcome, parent, subtree }: SessionRow): boolean {
  if (state === 'stopped') return true
  if (state === 'waiting') return subtree.waiting === 0
  return state === 'ended' && parent === undefined && (outcome === 'cancelled' || outcome === 'error')
}

function whyNot(me: { readonly daemon: boolean; readonly readOnly: boolean } | undefined): string {
  if (me?.readOnly) return 'This page is read-only.'
  if (me?.daemon === false)
    return `To message or cancel sessions from this page, run the daemon: ${withHome('cadre up')}`
  return 'Your login cannot message or cancel sessions. It needs the role operator.'
}
