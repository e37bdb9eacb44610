import {
  type Agents,
  type Allowed,
  CadreError,
  type Controls,
  explainUnknownToolName,
  type Notice,
  type Tool,
  unknownAllowed,
} from '@cadre/core'
import type { LoadedServers } from './load-servers.ts'

/** Flags that determine what agents may do. */
export interface GateFlags {
  /** Effects and tools of MCP servers that need no approval in this run, unless a policy requires it. */
  readonly allow?: readonly Exclude<Allowed, 'read'>[] | undefined
  /** No person is available to approve calls (`--no-human`). */
  readonly noHuman?: boolean | undefined
}

/** Flags that restrict a whole tree of sessions. The sessions record them. */
export interface ControlFlags {
  readonly readOnly?: boolean | undefined
  readonly approvalRequired?: boolean | undefined
  readonly denyTool?: readonly string[] | undefined
}

/** Restrictions of a run that another program requests, and not a person. */
export interface ProgramControls {
  /** The program chose the team, so the effects that the team allows need approval. */
  readonly noTeamEffects?: boolean | undefined
}

/** Throws `usage` if a name matches no tool, because it would deny nothing. */
export function controlsOf(
  { readOnly, approvalRequired, denyTool = [], noTeamEffects }: ControlFlags & ProgramControls,
  { tools, agents }: { readonly tools: readonly Tool[]; readonly agents: Agents },
): Controls | undefined {
  for (const name of denyTool) {
    const reason = explainUnknownToolName(name, { tools, agents: agents.list() })
    if (reason !== undefined) throw new CadreError('usage', `--deny-tool: ${reason}`)
  }
  const controls: Controls = {
    ...(readOnly && { readOnly: true }),
    ...(approvalRequired && { approvalRequired: true }),
    ...(denyTool.length > 0 && { deniedTools: denyTool }),
    ...(noTeamEffects && { noTeamEffects: true }),
  }
  return Object.keys(controls).length === 0 ? undefined : controls
}

/** A notice for every `--allow` that allows nothing, such as a misspelt one. The run can start: its calls need approval. */
export function allowNotices(
  { allow = [] }: Pick<GateFlags, 'allow'>,
  { tools, servers }: { readonly tools: readonly Tool[]; readonly servers: LoadedServers },
): Notice[] {
  if (servers.blocked !== undefined) return []
  const names = servers.found.servers.map(({ name }) => name)
  return allow.flatMap((name) => {
    const reason = unknownAllowed(name, { tools, servers: names })
    return reason === undefined ? [] : [{ code: 'allow', message: `--allow: ${reason}` }]
  })
}
