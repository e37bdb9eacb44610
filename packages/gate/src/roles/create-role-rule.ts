import type { AgentDefinition, JudgedCall, PathFinding, Rule, SessionSpec, Tool, Verdict } from '@cadre/core'
import type { PathResolver } from '../paths/path-resolver.ts'
import { artifactOf } from './artifact-of.ts'
import { isOwnArtifact } from './is-own-artifact.ts'

/**
 * Keeps every session within the boundary of its agent. Judges a call by the class and effect of its tool and by the paths
 * it names, never by its name or the text it writes. A boundary only restricts: all other rules apply too.
 */
export function createRoleRule({ places }: { readonly places: PathResolver }): Rule {
  return {
    by: 'role',
    name: 'boundary',
    immediate: true,
    judge(call, session) {
      const { boundary } = session.agent
      // Delegation and reports are exempt: without a report, a session could not even end.
      if (boundary === undefined || call.tool.kind !== undefined) return undefined
      return judgeCommand(call.tool, session) ?? judgeWrite(places, call, session)
    },
  }
}

function judgeCommand(tool: Tool, { agent }: SessionSpec): Verdict | undefined {
  const { commands, writes } = agent.boundary ?? {}
  if (tool.class !== 'execute' && tool.effect !== 'execute') return undefined
  if (commands === undefined && writes === undefined) return undefined
  if (commands === undefined)
    return denyVerdict(
      'boundary.commands',
      `${agent.name} may not change files, so its commands must run on a copy of the workspace`,
      tool,
    )
  if (commands !== 'copy') return denyVerdict('boundary.commands', `${agent.name} may not run commands`, tool)
  // External tools do not support copies.
  return tool.origin === 'built-in'
    ? undefined
    : denyVerdict(
        'boundary.commands',
        `commands from ${agent.name} must run on a copy of the workspace`,
        tool,
      )
}

function judgeWrite(
  places: PathResolver,
  { tool, input }: JudgedCall,
  session: SessionSpec,
): Verdict | undefined {
  const { agent } = session
  const writes = agent.boundary?.writes
  if (writes === undefined || (tool.class !== 'edit' && tool.effect !== 'write')) return undefined
  if (writes !== 'artifact') return denyVerdict('boundary.writes', `${agent.name} may not change files`, tool)
  const artifact = artifactOf(agent)
  const paths = tool.paths?.(input) ?? []
  const only = `${agent.name} may only write its artifact ${artifact}`
  if (paths.length === 0)
    return denyVerdict('boundary.writes', `${only}, and this call does not name the file it writes`, tool)
  const findings = paths.map((path) => findingOf(places, path, agent, session.workspace))
  const other = findings.find(({ decision }) => decision === 'deny')
  return other === undefined
    ? { kind: 'allow', by: 'role', rule: 'artifact', paths: findings }
    : { ...denyVerdict('boundary.writes', `${only}, not ${other.path}`, tool), paths: findings }
}

function findingOf(
  places: PathResolver,
  path: string,
  agent: AgentDefinition,
  workspace: string,
): PathFinding {
  const real = places.locate(path, workspace)
  const decision = isOwnArtifact({ places, path, agent, workspace }) ? 'allow' : 'deny'
  return { path, ...(real !== undefined && { real }), decision }
}

function denyVerdict(rule: 'boundary.writes' | 'boundary.commands', reason: string, { name }: Tool): Verdict {
  return {
    kind: 'deny',
    by: 'role',
    rule,
    reason: `${reason}. Cadre did not run ${name}`,
  }
}
