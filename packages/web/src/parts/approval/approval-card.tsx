import type { Approval } from '@cadre/api'
import { hrefOf } from '../../shell/route.ts'
import { useStore } from '../../store/app-context.ts'
import { ExactText } from '../exact-text.tsx'
import { timeText } from '../format.ts'
import { visibleLine } from '../show-hidden.ts'
import { ApprovalActions } from './approval-actions.tsx'
import { approvedBy } from './approval-count.ts'
import { ApprovalDiff } from './approval-diff.tsx'
import { describeRequest, neededWords } from './approval-words.ts'

export interface ApprovalCardProps {
  readonly approval: Approval
  /** True if the keys `a`, `A` and `r` decide this approval. */
  readonly takesKeys: boolean
}

/** An approval with everything that a person needs in order to decide: the complete action, the risk and its reasons, and the agent. */
export function ApprovalCard({ approval, takesKeys }: ApprovalCardProps) {
  const store = useStore()
  const { id, session, agent, chain, purpose, action, more, risk, reasons, why, status, created } = approval
  const isPending = status === 'pending'
  return (
    <article class="approval" aria-labelledby={`approval-${id}`} data-approval={id} data-status={status}>
      <header class="approval-head">
        <h2 id={`approval-${id}`}>
          <RiskBadge risk={risk} /> {visibleLine(agent)} <span class="dim">{describeRequest(approval)}</span>
        </h2>
        <p class="dim">
          <a href={hrefOf('sessions', session)}>{session}</a> · asked {timeText(created)}
          {approval.task !== undefined && ` · task ${visibleLine(approval.task)}`}
        </p>
        {chain.length > 1 && (
          <p class="chain">
            <span class="unseen">Chain of agents: </span>
            {chain.map((name, at) => (
              <span key={at}>{visibleLine(name)}</span>
            ))}
          </p>
        )}
      </header>
      <p class="label">Action</p>
      <ExactText text={action} label="Action" />
      {more.map(([name, value]) => (
        <div key={name}>
          <p class="label">{name}</p>
          <ExactText text={value} label={name} />
        </div>
      ))}
      <ApprovalDiff key={id} approval={approval} />
      {reasons.length > 0 && (
        <>
          <p class="label">Risk</p>
          <ul class="reasons">
            {reasons.map((reason, at) => (
              <li key={at}>{reason}</li>
            ))}
          </ul>
        </>
      )}
      <dl class="facts">
        <dt>Why Cadre asks</dt>
        <dd>{why}</dd>
        {purpose !== undefined && purpose !== '' && (
          <>
            <dt>The agent's purpose</dt>
            <dd class="quote">{purpose}</dd>
          </>
        )}
      </dl>
      <Votes approval={approval} />
      {isPending ? (
        <ApprovalActions approval={approval} takesKeys={takesKeys} canDecide={store.may('approver')} />
      ) : (
        <p class="decided" role="status">
          {status} {approval.decidedBy !== undefined && `by ${approval.decidedBy}`}
          {approval.decidedAt !== undefined && `, ${timeText(approval.decidedAt)}`}
          {approval.reason !== undefined && `: ${approval.reason}`}
        </p>
      )}
    </article>
  )
}

export function RiskBadge({ risk }: { readonly risk: Approval['risk'] }) {
  if (risk === null) return null
  return <span class={`risk risk-${risk}`}>{risk}</span>
}

function Votes({ approval: { needed, votes } }: { readonly approval: Approval }) {
  if (needed === undefined && votes.length === 0) return null
  const approved = approvedBy(votes)
  return (
    <section class="votes" aria-label="Votes">
      {needed !== undefined && (
        <p>
          <strong>
            {approved} of {needed.quorum}
          </strong>{' '}
          {neededWords(needed)}
        </p>
      )}
      <ul>
        {votes.map(({ by, via, decision, at, reason }) => (
          <li key={`${by} ${at}`}>
            {by}: {decision}{' '}
            <span class="dim">
              ({via}, {timeText(at)})
            </span>
            {reason !== undefined && ` “${reason}”`}
          </li>
        ))}
      </ul>
    </section>
  )
}
