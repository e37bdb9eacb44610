import type { ToolClass } from '../ports/agent.ts'
import type { PermittedEffects } from '../ports/model.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { Toolset } from '../vocabulary/toolset.ts'

/** A tool list, a boundary or a control can exclude a whole class of effects. */
export function permittedEffects(spec: SessionSpec, toolset: Toolset): PermittedEffects {
  const { boundary } = spec.agent
  const { readOnly, approvalRequired } = spec.controls ?? {}
  const isOpen = readOnly !== true && approvalRequired !== true
  const has = (wanted: ToolClass) =>
    toolset.offers.some(({ name }) => {
      const found = toolset.find(name)
      return found?.allowed === true && found.tool.class === wanted
    })
  return {
    edits: isOpen && boundary?.writes === undefined && has('edit'),
    programs: isOpen && boundary?.commands === undefined && has('execute'),
  }
}
