import type { SessionRow } from '@cadre/api'
import { costText, shortNumber } from './format.ts'

/** A session's model, tokens, cost and calls, for a list of facts. The number of calls always includes the sessions below. */
export function UsageFacts({
  row: { model, usage, subtree },
}: {
  readonly row: Pick<SessionRow, 'model' | 'usage' | 'subtree'>
}) {
  const below = subtree.sessions - 1
  return (
    <>
      <dt>Model</dt>
      <dd>{model ?? '–'}</dd>
      <dt>Tokens</dt>
      <dd>
        {shortNumber(usage.input)} in, {shortNumber(usage.output)} out
      </dd>
      <dt>Cost</dt>
      <dd>
        {costText(usage.cost)}
        {below > 0 &&
          subtree.usage.cost !== undefined &&
          `, including sessions below: ${costText(subtree.usage.cost)}`}
      </dd>
      <dt>Calls</dt>
      <dd>
        {subtree.calls}
        {below > 0 && ', including sessions below'}
      </dd>
      <dt>Sessions below</dt>
      <dd>{below}</dd>
    </>
  )
}
