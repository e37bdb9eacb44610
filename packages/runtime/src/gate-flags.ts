import { type Agents, CadreError, type Controls, type Effect, type Tool, unknownDenial } from '@cadre/core'

/** What a person says on the command line about what the agents may do. */
export interface GateFlags {
  /** Effects that are not asked for in this run, where no policy says otherwise. */
  readonly allow?: readonly Exclude<Effect, 'read'>[] | undefined
  /** Nobody can be asked. */
  readonly noHuman?: boolean | undefined
}

/** What a person sets for a whole tree of agents. It is recorded with the sessions. */
export interface ControlFlags {
  readonly readOnly?: boolean | undefined
  readonly approvalRequired?: boolean | undefined
  readonly denyTool?: readonly string[] | undefined
}

/** Throws `usage` when a name matches no tool, because it would deny nothing. */
export function controlsOf(
  { readOnly, approvalRequired, denyTool = [] }: ControlFlags,
  { tools, agents }: { readonly tools: readonly Tool[]; readonly agents: Agents },
): Controls | undefined {
  for (const name of denyTool) {
    const reason = unknownDenial(name, { tools, agents: agents.list() })
    if (reason !== undefined) throw new CadreError('usage', `--deny-tool: ${reason}`)
  }
  const controls: Controls = {
    ...(readOnly && { readOnly: true }),
    ...(approvalRequired && { approvalRequired: true }),
    ...(denyTool.length > 0 && { deniedTools: denyTool }),
  }
  return Object.keys(controls).length === 0 ? undefined : controls
}
