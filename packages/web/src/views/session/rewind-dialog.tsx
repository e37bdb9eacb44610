import type { RewindResult } from '@cadre/api'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CommandHint } from '../../parts/command-hint.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { commandLine } from '../../parts/shell-word.ts'
import { navigate } from '../../shell/navigate.ts'
import { notify } from '../../shell/toasts.ts'
import { useStore } from '../../store/app-context.ts'

export interface RewindTarget {
  readonly action: 'rewind' | 'fork'
  readonly session: string
  readonly seq: number
  readonly etag: string
}

export interface RewindDialogProps {
  readonly target: RewindTarget
  readonly onClose: () => void
  readonly onRewound: () => void
}

/** Shows what a rewind removes and what remains on disk, or starts a fork. */
export function RewindDialog({
  target: { action, session, seq, etag },
  onClose,
  onRewound,
}: RewindDialogProps) {
  const { client } = useStore()
  const preview = useSignal<RewindResult | undefined>(undefined)
  const error = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const work = useSignal('')
  const fail = (reason: unknown) => {
    error.value = reason instanceof Error ? reason.message : String(reason)
  }
  useEffect(() => {
    const request = { params: { id: session }, query: { dryRun: true }, body: { seq }, ifMatch: etag }
    client.rewindSession(request).then((found) => {
      preview.value = found
    }, fail)
  }, [])
  const run = async (act: () => Promise<void>) => {
    isBusy.value = true
    try {
      await act()
      onClose()
    } catch (reason) {
      fail(reason)
    } finally {
      isBusy.value = false
    }
  }
  const rewind = () =>
    run(async () => {
      const { removed } = await client.rewindSession({
        params: { id: session },
        query: {},
        body: { seq },
        ifMatch: etag,
      })
      notify(`Removed ${removed} ${removed === 1 ? 'entry' : 'entries'} from ${session}.`)
      onRewound()
    })
  const fork = () =>
    run(async () => {
      const { id } = await client.forkSession({
        params: { id: session },
        body: { seq, work: work.peek().trim() },
      })
      navigate('sessions', id)
    })
  return (
    <Dialog
      title={action === 'rewind' ? `Rewind to before entry ${seq}` : `Fork before entry ${seq}`}
      onClose={onClose}
    >
      {action === 'rewind' ? (
        <p>Cadre removes this entry and everything after it from the session.</p>
      ) : (
        <p>A new session starts with the conversation before this entry. This session does not change.</p>
      )}
      {error.value !== undefined && (
        <p class="fault" role="alert">
          {error.value}
        </p>
      )}
      {preview.value !== undefined && (
        <Preview result={preview.value} asked={seq} isFork={action === 'fork'} />
      )}
      {action === 'fork' && (
        <>
          <label for="fork-work">What the new session should do</label>
          <textarea
            id="fork-work"
            rows={3}
            value={work.value}
            onInput={(event) => {
              work.value = event.currentTarget.value
            }}
          />
        </>
      )}
      <div class="action">
        {action === 'rewind' ? (
          <button
            type="button"
            class="danger"
            disabled={preview.value === undefined || isBusy.value}
            onClick={() => void rewind()}
          >
            Rewind
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            disabled={work.value.trim() === '' || isBusy.value}
            onClick={() => void fork()}
          >
            Fork
          </button>
        )}
        <button type="button" onClick={onClose}>
          Go back <kbd>Esc</kbd>
        </button>
        <CommandHint
          command={commandLine(
            'cadre',
            'sessions',
            action,
            session,
            String(seq),
            ...(action === 'fork' ? [work.value.trim() || '…'] : []),
          )}
        />
      </div>
    </Dialog>
  )
}

interface PreviewProps {
  readonly result: RewindResult
  readonly asked: number
  readonly isFork: boolean
}

/** The effects of the removed calls, which remain. */
function Preview({ result, asked, isFork }: PreviewProps) {
  const { seq, removed, children, commits, files } = result
  const stays = children.length + commits.length + files.length > 0
  return (
    <div class="preview">
      <p>
        <strong>{removed}</strong> {removed === 1 ? 'entry' : 'entries'} will{' '}
        {isFork ? 'not be in the fork' : 'be removed'}.
        {seq < asked &&
          ` This includes everything from entry ${seq} on: the calls in that entry's round have already run, so ${isFork ? 'the fork omits the whole round' : 'the whole round must go'}.`}
        {stays ? ' These remain on disk:' : ' As far as Cadre knows, their calls did not write any files.'}
      </p>
      <ul>
        {files.map((file) => (
          <li key={file}>
            changed file <code>{file}</code>
          </li>
        ))}
        {commits.map(({ commit, files: changed }) => (
          <li key={commit}>
            commit <code>{commit.slice(0, 10)}</code> ({changed.join(', ')})
          </li>
        ))}
        {children.map((child) => (
          <li key={child}>session {child}</li>
        ))}
      </ul>
    </div>
  )
}
