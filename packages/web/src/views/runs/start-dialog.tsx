import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CommandHint } from '../../parts/command-hint.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { commandLine } from '../../parts/shell-word.ts'
import { navigate } from '../../shell/navigate.ts'
import { useStore } from '../../store/app-context.ts'

/** Starts a run: an agent and its work. */
export function StartDialog({ onClose }: { readonly onClose: () => void }) {
  const { client } = useStore()
  const work = useSignal('')
  const agent = useSignal('')
  const agents = useSignal<readonly string[]>([])
  const error = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  // All attempts in this dialog use the same key, so that a repeated request does not start a second run.
  const key = useSignal(`run-${crypto.randomUUID().slice(-12)}`).peek()
  useEffect(() => {
    client.listAgents().then(({ items }) => {
      agents.value = items.flatMap(({ name, userInvocable }) =>
        typeof name === 'string' && userInvocable !== false ? [name] : [],
      )
    }, console.warn)
  }, [])
  const start = async () => {
    isBusy.value = true
    try {
      const body = { work: work.peek().trim(), ...(agent.peek() !== '' && { agent: agent.peek() }) }
      const { id } = await client.startSession({ body, idempotencyKey: key })
      onClose()
      navigate('sessions', id)
    } catch (reason) {
      error.value = reason instanceof Error ? reason.message : String(reason)
      isBusy.value = false
    }
  }
  const words = agent.value === '' ? ['cadre', 'run'] : ['cadre', 'run', '--agent', agent.value]
  return (
    <Dialog title="Start a run" onClose={onClose}>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <div>
          <label for="start-work">What should be done?</label>
          <textarea
            id="start-work"
            rows={4}
            value={work.value}
            onInput={(event) => {
              work.value = event.currentTarget.value
            }}
          />
        </div>
        <div>
          <label for="start-agent">Agent</label>
          <select
            id="start-agent"
            value={agent.value}
            onChange={(event) => {
              agent.value = event.currentTarget.value
            }}
          >
            <option value="">The default agent</option>
            {agents.value.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        {error.value !== undefined && (
          <p class="fault" role="alert">
            {error.value}
          </p>
        )}
        <div class="action">
          <button type="submit" class="primary" disabled={isBusy.value || work.value.trim() === ''}>
            Start
          </button>
          <button type="button" onClick={onClose}>
            Go back <kbd>Esc</kbd>
          </button>
          <CommandHint command={commandLine(...words, work.value.trim() || '…')} />
        </div>
      </form>
    </Dialog>
  )
}
