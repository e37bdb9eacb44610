import type { CadreEvent } from '@cadre/core'
import { type AttributeText, attributesOf } from './attributes.ts'

type Judged = Pick<Extract<CadreEvent, { type: 'call.judged' }>, 'decision' | 'by' | 'rule' | 'risk'>

/** Writes the gate's decision for a call as attributes. Most decisions equal the previous one, so the text is reused. */
export function createDecisionAttributes(): (judged: Judged) => AttributeText {
  let last: Judged | undefined
  let text = ''
  return ({ decision, by, rule, risk }) => {
    const isSame = last?.decision === decision && last.by === by && last.rule === rule && last.risk === risk
    if (isSame) return text
    last = { decision, by, ...(rule !== undefined && { rule }), ...(risk !== undefined && { risk }) }
    text = attributesOf({
      'cadre.decision': decision,
      'cadre.decision.by': by,
      'cadre.decision.rule': rule,
      'cadre.risk': risk,
    })
    return text
  }
}
