import { ExactText } from '../../parts/exact-text.tsx'
import { visibleLine } from '../../parts/show-hidden.ts'
import type { Explanation } from './agent-json.ts'

const words = { allow: 'Allowed', ask: 'Needs an approval', deny: 'Denied' } as const
const shapes = { allow: '✓', ask: '◆', deny: '✕' } as const

/** The gate's decision, with its source, rule, reason and chain of agents. */
export function Verdict({ explanation }: { readonly explanation: Explanation }) {
  const {
    decision,
    by,
    rule,
    reason,
    risk,
    reasons = [],
    commands = [],
    paths = [],
    hooks = [],
    input,
    chain,
  } = explanation
  return (
    <div class={`verdict verdict-${decision}`} data-decision={decision}>
      <h3>
        <span aria-hidden="true">{shapes[decision]} </span>
        {words[decision]}
        {risk !== undefined && <span class={`risk risk-${risk}`}>{risk}</span>}
      </h3>
      <dl class="facts">
        <dt>Decided by</dt>
        <dd>
          {by} · <code>{visibleLine(rule)}</code>
        </dd>
        <dt>Why</dt>
        <dd>{visibleLine(reason)}</dd>
        <dt>Agents</dt>
        <dd>{visibleLine(chain.join(' › '))}</dd>
        {reasons.length > 0 && (
          <>
            <dt>Risk</dt>
            <dd>
              <ul class="reasons">
                {reasons.map((line, at) => (
                  <li key={at}>{visibleLine(line)}</li>
                ))}
              </ul>
            </dd>
          </>
        )}
        {commands.length > 0 && (
          <>
            <dt>Commands</dt>
            <dd>
              <ul class="reasons">
                {commands.map((command, at) => (
                  <li key={at}>
                    {command.decision}: <code>{visibleLine(command.words.join(' '))}</code>
                    {command.reason !== undefined && ` — ${visibleLine(command.reason)}`}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
        {paths.length > 0 && (
          <>
            <dt>Paths</dt>
            <dd>
              <ul class="reasons">
                {paths.map((path, at) => (
                  <li key={at}>
                    {path.decision}: <code>{visibleLine(path.path)}</code>
                    {path.real !== undefined && path.real !== path.path && (
                      <>
                        , which is <code>{visibleLine(path.real)}</code>
                      </>
                    )}
                    {path.reason !== undefined && ` — ${visibleLine(path.reason)}`}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
        {hooks.length > 0 && (
          <>
            <dt>Hooks</dt>
            <dd>
              They did not run here, and may still deny, ask or change the call:{' '}
              {visibleLine(hooks.join(', '))}
            </dd>
          </>
        )}
      </dl>
      {input !== undefined && (
        <>
          <p class="label">A rule would change the arguments to</p>
          <ExactText text={JSON.stringify(input, null, 2)} label="Changed arguments" />
        </>
      )}
    </div>
  )
}
