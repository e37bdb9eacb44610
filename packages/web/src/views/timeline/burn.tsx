import type { SessionView, View } from '@cadre/core'
import { CommandHint } from '../../parts/command-hint.tsx'
import { costText, plural, shortNumber } from '../../parts/format.ts'
import { commandLine } from '../../parts/shell-word.ts'
import { hrefOf } from '../../shell/route.ts'
import { useStore } from '../../store/app-context.ts'
import { type BurnDown, burnDown, firstToRefuse, spendingsOf, untilCounted } from './burn-down.ts'
import { refusalText } from './refusal-text.ts'
import type { TimeScale } from './time-scale.ts'

export interface BurnProps {
  readonly view: View
  readonly session: string
  readonly scale: TimeScale
  readonly now: number
}

/** What the selected session and the sessions below it have spent, and the burn-down of the budget. */
export function Burn({ view, session, scale, now }: BurnProps) {
  const row = useStore().rows.get(session)?.row.value
  if (row === undefined) return null
  const below = subtreeOf(view, session)
  const { budget, spent } = row.subtree
  const spendings = untilCounted(spendingsOf(below), spent, Math.min(now, Date.parse(row.updated) || now))
  const isRunning = row.state === 'working' || row.state === 'waiting' || row.state === 'queued'
  const from = Math.max(scale.from, Date.parse(row.created) || scale.from)
  const parts = budget === undefined ? [] : burnDown({ budget, spendings, from, now, isRunning })
  const first = firstToRefuse(parts)
  return (
    <section class="burn" aria-label="Cost and budget">
      <h2>
        {row.agent} <a href={hrefOf('sessions', session)}>{session}</a> and the sessions below it
      </h2>
      <p>
        {shortNumber(row.subtree.usage.input)} tokens in, {shortNumber(row.subtree.usage.output)} out ·{' '}
        {costText(row.subtree.usage.cost)} · {plural(row.subtree.calls, 'call')} ·{' '}
        {plural(row.subtree.sessions, 'session')}
      </p>
      {budget === undefined ? (
        <p class="hint">
          This session has no budget. Set one in the agent file, the configuration or a policy to see its
          burn-down here.
        </p>
      ) : (
        <>
          <p class="burn-first" role="status">
            {refusalText(first, now, isRunning, refusalIn(below))}
          </p>
          <div class="burn-parts">
            {parts.map((part) => (
              <BurnChart key={part.part} burn={part} scale={scale} now={now} />
            ))}
          </div>
        </>
      )}
      <CommandHint command={commandLine('cadre', 'sessions', 'tree', session)} />
    </section>
  )
}

const [width, height] = [320, 72]

function BurnChart({
  burn,
  scale,
  now,
}: {
  readonly burn: BurnDown
  readonly scale: TimeScale
  readonly now: number
}) {
  const { part, most, used, line, refusesAt } = burn
  const end = Math.max(scale.to, Math.min(refusesAt ?? 0, now + 2 * (now - scale.from)))
  const x = (at: number) =>
    (end > scale.to ? (at - scale.from) / Math.max(1, end - scale.from) : scale.place(at)) * width
  const y = (left: number) => 4 + (1 - left / most) * (height - 8)
  const text = part === 'cost' ? costText : shortNumber
  // Steps, because each amount is spent at one point in time.
  const points = line.map(({ at, left }, index) => {
    const [across, down] = [x(at).toFixed(1), y(left).toFixed(1)]
    return index === 0 ? `M${across} ${down}` : `H${across}V${down}`
  })
  const last = line.at(-1)
  return (
    <figure class="burn-part">
      <figcaption>
        <strong>{part}</strong> {text(Math.max(0, most - used))} left of {text(most)}
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${part}: ${text(used)} of ${text(most)} used`}
      >
        <line class="burn-zero" x1={0} x2={width} y1={height - 4} y2={height - 4} />
        <path class="burn-line" d={points.join('')} />
        {last !== undefined && refusesAt !== undefined && used < most && (
          <>
            <line class="burn-next" x1={x(last.at)} y1={y(last.left)} x2={x(refusesAt)} y2={height - 4} />
            <path class="burn-stop" d={`M${x(refusesAt).toFixed(1)} ${height - 10}v10`} />
          </>
        )}
      </svg>
    </figure>
  )
}

/** Why a budget refused a request of these sessions. It refuses a request that could exceed it, so some of the budget can be left. */
function refusalIn(sessions: readonly SessionView[]): string | undefined {
  const notices = sessions.flatMap(({ report }) => report?.notices ?? [])
  return notices.find(({ code }) => code === 'budget_exceeded')?.message
}

function subtreeOf({ sessions }: View, id: string): SessionView[] {
  const found: SessionView[] = []
  const seen = new Set<string>()
  const left = [id]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const session = sessions.get(next)
    if (session === undefined || seen.has(next)) continue
    seen.add(next)
    found.push(session)
    left.push(...session.children)
  }
  return found
}
