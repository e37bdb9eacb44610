import type { PathFinding, Rule, Verdict } from '@cadre/core'
import { type PathResolver, pathRules } from '../paths/path-resolver.ts'
import { pathsInServerCall, textsIn } from './paths-in-server-call.ts'

export interface ServerRuleOptions {
  readonly places: Pick<PathResolver, 'judge'>
  readonly userHome: string
}

/**
 * Judges the arguments of tools of MCP servers on this machine. A tool that may change files without approval must still not change the
 * files that control agents, and must not leave the workspace: only a person can approve such a call.
 */
export function createServerRule({ places, userHome }: ServerRuleOptions): Rule {
  return {
    by: 'policy',
    name: 'server-paths',
    immediate: true,
    judge({ tool, input }, { workspace }) {
      if (tool.server === undefined || tool.server.remote) return undefined
      const found = pathsInServerCall({ input, workspace, userHome, write: tool.effect !== 'read' }, places)
      const [first] = found
      if (first === undefined) return textsIn(input).isComplete ? undefined : tooManyTexts(tool.server.name)
      const paths = found.slice(0, 20).map(
        ({ path, placed }): PathFinding => ({
          path,
          ...(placed.real !== undefined && { real: placed.real }),
          decision: 'ask',
          reason: placed.reason,
        }),
      )
      const { kind } = (found.find(({ placed }) => placed.kind === 'protected') ?? first).placed
      const what = kind === 'protected' ? 'a protected path' : 'a path outside the workspace'
      return {
        kind: 'ask',
        by: 'policy',
        rule: pathRules[kind],
        firm: true,
        reason: `the call sends ${what} to the MCP server ${tool.server.name}: ${shown(first.path)}`,
        risk: 'HIGH',
        reasons: paths.map(({ path }) => `names ${shown(path)}`),
        paths,
      }
    },
  }
}

/** An agent could otherwise hide a path behind other arguments. */
function tooManyTexts(server: string): Verdict {
  const reason = `the call to the MCP server ${server} has too many values for Cadre to find all paths in them`
  return {
    kind: 'ask',
    by: 'policy',
    rule: 'paths.outside',
    firm: true,
    reason,
    risk: 'HIGH',
    reasons: [reason],
  }
}

function shown(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)
}
