import type { Approval } from '@cadre/api'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useCommands } from '../../shell/use-commands.ts'
import { useStore } from '../../store/app-context.ts'
import { CommandHint } from '../command-hint.tsx'
import { commandLine } from '../shell-word.ts'
import { hasApproved } from './approval-count.ts'
import { type Decision, useDecision } from './use-decision.ts'

export interface ApprovalActionsProps {
  readonly approval: Approval
  readonly takesKeys: boolean
  readonly canDecide: boolean
}

/** An approval's buttons, each with the equivalent command. */
export function ApprovalActions({ approval, takesKeys, canDecide }: ApprovalActionsProps) {
  const element = useRef<HTMLDivElement>(null)
  const decision = useDecision(approval, element)
  const { choices } = approval
  const isDoubt = choices.includes('again') || choices.includes('leave')
  const keys = takesKeys && canDecide && approval.objection === undefined
  const me = useStore().me.value
  const isMine = hasApproved(approval, me?.by)
  useCommands({
    approve: () => (keys && !isDoubt && !isMine ? decision.approve('once') : false),
    approveSession: () =>
      keys && !isMine && choices.includes('approve-session') ? decision.approve('session') : false,
    confirm: () => (keys && decision.confirming.peek() !== undefined ? decision.confirm() : false),
    reject: () => (keys && !isDoubt ? decision.askReason() : false),
    back: () => (takesKeys ? decision.back() : false),
  })
  return <div ref={element}>{shown()}</div>

  function shown() {
    if (me?.readOnly) return <p class="hint">This page is read-only, so you cannot decide approvals here.</p>
    if (!canDecide) return <p class="hint">Your login cannot decide approvals. It needs the role approver.</p>
    if (approval.objection !== undefined) return <p class="hint">{approval.objection}</p>
    if (decision.confirming.value !== undefined) return <Confirm decision={decision} />
    if (decision.isRejecting.value) return <Reject approval={approval} decision={decision} />
    if (isMine) return <Voted approval={approval} decision={decision} />
    return isDoubt ? (
      <DoubtButtons approval={approval} decision={decision} />
    ) : (
      <ApproveButtons approval={approval} decision={decision} />
    )
  }
}

interface Part {
  readonly approval: Approval
  readonly decision: Decision
}

function ApproveButtons({ approval: { id, choices, grants }, decision }: Part) {
  const isBusy = decision.isBusy.value
  return (
    <div class="actions">
      <div class="action">
        <button type="button" class="primary" disabled={isBusy} onClick={() => decision.approve('once')}>
          Approve once <kbd>a</kbd>
        </button>
        <CommandHint command={commandLine('cadre', 'approve', id)} />
      </div>
      {choices.includes('approve-session') && (
        <div class="action">
          <button type="button" disabled={isBusy} onClick={() => decision.approve('session')}>
            Approve for this session <kbd>A</kbd>
          </button>
          <CommandHint command={commandLine('cadre', 'approve', id, '--session')} />
        </div>
      )}
      {grants.length > 0 && (
        <div class="action">
          <button type="button" disabled={isBusy} onClick={() => decision.approve('rule')}>
            Approve, and add a rule
          </button>
          <CommandHint command={commandLine('cadre', 'approve', id, '--rule')} />
          <span class="hint">
            Adds: <code>{grants.join(', ')}</code>
          </span>
        </div>
      )}
      <div class="action">
        <button type="button" disabled={isBusy} onClick={decision.askReason}>
          Reject… <kbd>r</kbd>
        </button>
        <CommandHint command={commandLine('cadre', 'reject', id)} />
      </div>
    </div>
  )
}

/** Shown when the person has approved and other people must approve too. The person can still reject. */
function Voted({ approval: { id }, decision }: Part) {
  return (
    <div class="actions">
      <p>You have approved this call. Other people must approve it too.</p>
      <div class="action">
        <button type="button" disabled={decision.isBusy.value} onClick={decision.askReason}>
          Reject instead… <kbd>r</kbd>
        </button>
        <CommandHint command={commandLine('cadre', 'reject', id)} />
      </div>
    </div>
  )
}

const answers = {
  done: ['It took effect', 'The session continues without running the call again.'],
  again: ['Run it again', 'The call did not take effect, or it is safe to run twice.'],
  leave: ['Leave it', 'Cadre tells the agent that the result is unknown, and the session continues.'],
} as const

function DoubtButtons({ approval: { session, question, choices }, decision }: Part) {
  return (
    <div class="actions">
      <p class="hint">
        Cadre started this call but does not know whether it took effect. Check, then choose:
      </p>
      {(['done', 'again', 'leave'] as const)
        .filter((answer) => choices.includes(answer))
        .map((answer) => (
          <div class="action" key={answer}>
            <button type="button" disabled={decision.isBusy.value} onClick={() => decision.answer(answer)}>
              {answers[answer][0]}
            </button>
            <CommandHint command={commandLine('cadre', 'sessions', 'answer', session, question, answer)} />
            <span class="hint">{answers[answer][1]}</span>
          </div>
        ))}
    </div>
  )
}

/** The second step for HIGH risk. Its button is in a different place, so that a double click cannot press it. */
function Confirm({ decision }: { readonly decision: Decision }) {
  return (
    <div class="actions confirm" role="alert">
      <p>
        <strong>HIGH risk.</strong> Press <kbd>y</kbd> to approve, <kbd>Esc</kbd> to go back.
      </p>
      <div class="action">
        <button type="button" onClick={decision.back}>
          Go back <kbd>Esc</kbd>
        </button>
        <button type="button" class="danger" disabled={decision.isBusy.value} onClick={decision.confirm}>
          Yes, approve <kbd>y</kbd>
        </button>
      </div>
    </div>
  )
}

function Reject({ approval: { id }, decision }: Part) {
  const field = useRef<HTMLTextAreaElement>(null)
  // Before the browser paints, so that no letter of the reason is taken for a shortcut.
  useLayoutEffect(() => field.current?.focus(), [])
  const send = () => decision.reject(field.current?.value.trim() ?? '')
  return (
    <form
      class="actions"
      data-escape
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label for={`reason-${id}`}>Reason for the agent (optional)</label>
      <textarea
        id={`reason-${id}`}
        ref={field}
        rows={2}
        maxLength={4000}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      <div class="action">
        <button type="submit" class="danger" disabled={decision.isBusy.value}>
          Reject <kbd>Enter</kbd>
        </button>
        <button type="button" onClick={decision.back}>
          Go back <kbd>Esc</kbd>
        </button>
      </div>
    </form>
  )
}
