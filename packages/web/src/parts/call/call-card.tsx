import type { CallDetail } from '@cadre/api'
import type { CallVerdict, CallView } from '@cadre/core'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { attempt } from '../../shell/toasts.ts'
import { useStore } from '../../store/app-context.ts'
import { DiffView } from '../diff-view.tsx'
import { ExactText } from '../exact-text.tsx'
import { durationText, timeText } from '../format.ts'
import { CallStatusMark } from './call-status.tsx'
import { callSummary, decisionWord, readableInput, verdictWords } from './call-words.ts'

export interface CallCardProps {
  readonly session: string
  readonly call: CallView
  readonly progress: string | undefined
  /** Shows the session that a delegation started. */
  readonly child?: (id: string) => ComponentChildren
}

/** One call: its input, the decision, and its result. */
export function CallCard({ session, call, progress, child }: CallCardProps) {
  const isOpen = useSignal(false)
  const { name, status, startedAt, settledAt } = call
  const took =
    startedAt !== undefined && settledAt !== undefined
      ? Date.parse(settledAt) - Date.parse(startedAt)
      : undefined
  return (
    <details
      class={`call call-${status}`}
      data-call={call.id}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open
      }}
    >
      <summary>
        <CallStatusMark status={status} />
        <strong>{name}</strong>
        <span class="call-summary">
          {progress !== undefined && status === 'running' ? progress : callSummary(call)}
        </span>
        <span class="call-verdict">{verdictWords(call)}</span>
        {took !== undefined && <span class="dim">{durationText(took)}</span>}
      </summary>
      {isOpen.value && (
        <div class="call-body">
          <p class="label">Input</p>
          <ExactText text={readableInput(call.input)} label="Input" />
          {call.verdict?.input !== undefined && (
            <>
              <p class="label">Input that ran, after a hook or a rule changed it</p>
              <ExactText text={readableInput(call.verdict.input)} label="What ran" />
            </>
          )}
          <VerdictFacts call={call} />
          <CallChange session={session} call={call} />
          {call.content !== undefined && (
            <>
              <p class="label">{call.code === undefined ? 'Result' : `Result (${call.code})`}</p>
              <ExactText text={call.content} label="Result" />
            </>
          )}
        </div>
      )}
      {isOpen.value && call.child !== undefined && child?.(call.child)}
    </details>
  )
}

function VerdictFacts({
  call: { verdict, held, person, startedAt, settledAt },
}: {
  readonly call: CallView
}) {
  return (
    <dl class="facts">
      {held !== undefined && <VerdictFact title="Needed approval" verdict={held} />}
      {person !== undefined && (
        <>
          <dt>Decided</dt>
          <dd>
            {decisionWord(person.decision)} by {person.by ?? 'a person'}, {timeText(person.at)}
            {person.reason !== undefined && <q class="quote">{person.reason}</q>}
          </dd>
        </>
      )}
      {verdict !== undefined && verdict !== held && <VerdictFact title="Verdict" verdict={verdict} />}
      {startedAt !== undefined && (
        <>
          <dt>Ran</dt>
          <dd>
            {timeText(startedAt)}
            {settledAt !== undefined && ` to ${timeText(settledAt)}`}
          </dd>
        </>
      )}
    </dl>
  )
}

const decisions = { allow: 'allowed', ask: 'approval required', deny: 'denied' }

function VerdictFact({ title, verdict }: { readonly title: string; readonly verdict: CallVerdict }) {
  const { decision, by, rule, reason, risk, reasons } = verdict
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {decisions[decision]} by {by}
        {rule !== undefined && rule !== '' && (
          <>
            {' '}
            · <code>{rule}</code>
          </>
        )}
        {risk !== undefined && ' '}
        {risk !== undefined && <span class={`risk risk-${risk}`}>{risk}</span>}
        {reason !== undefined && reason !== '' && <p>{reason}</p>}
        {reasons !== undefined && (
          <ul class="reasons">
            {reasons.map((line, at) => (
              <li key={at}>{line}</li>
            ))}
          </ul>
        )}
      </dd>
    </>
  )
}

/** An edit's patch and its commit. Only the server can compute them, so the page requests them when a person opens them. */
function CallChange({ session, call }: { readonly session: string; readonly call: CallView }) {
  const { client } = useStore()
  const detail = useSignal<CallDetail | undefined>(undefined)
  const isBusy = useSignal(false)
  const load = async () => {
    isBusy.value = true
    detail.value = await attempt(() => client.getCall({ params: { id: session, call: call.id } }))
    isBusy.value = false
  }
  const found = detail.value
  if (call.startedAt === undefined || call.child !== undefined) return null
  if (found === undefined)
    return (
      <button type="button" class="quiet" disabled={isBusy.value} onClick={() => void load()}>
        Show file changes
      </button>
    )
  return (
    <>
      {found.commit !== undefined && (
        <p>
          Commit <code>{found.commit}</code>
        </p>
      )}
      {found.patch === undefined || found.patch === '' ? (
        <p class="hint">Cadre has not recorded any file changes for this call.</p>
      ) : (
        <DiffView patch={found.patch} />
      )}
    </>
  )
}
