import type { JsonObject } from '@cadre/core'
import {
  agentRows,
  createExplainer,
  describeAgent,
  findAvailableAgents,
  lintProject,
  loadParts,
  readDepth,
  requireAgent,
} from '@cadre/runtime'
import type { RouteContext } from '../api-context.ts'
import type { Routes } from '../http-route.ts'
import { anyObject, bodySchema, listSchema, objectSchema } from '../schemas.ts'

type Name = 'listAgents' | 'getAgent' | 'lint' | 'explain'

const name = { type: 'string', minLength: 1, maxLength: 200 } as const

/** What agents may do. These routes do not run, ask or write anything, and only list hooks. */
export const agentRoutes: Routes<Name> = {
  listAgents: {
    operation: 'listAgents',
    role: 'viewer',
    summary: 'List agents; the same JSON as "cadre agents list --json", except for Copilot\'s modes',
    schema: objectSchema({ items: listSchema(anyObject) }),
    async answer(_, context) {
      const { environment, flags } = placeOf(context)
      return { body: { items: agentRows(await findAvailableAgents(environment, flags)) } }
    },
  },
  getAgent: {
    operation: 'getAgent',
    role: 'viewer',
    summary: 'Show what an agent may do; the same JSON as "cadre agents show --json"',
    schema: anyObject,
    async answer({ params: { name: wanted } }, context) {
      const { environment, flags } = placeOf(context)
      const parts = await loadParts(environment, { ...flags, agent: wanted })
      const view = await describeAgent(requireAgent(parts.registry, wanted), parts, environment.cwd)
      return { body: view as unknown as JsonObject }
    },
  },
  lint: {
    operation: 'lint',
    role: 'viewer',
    summary: 'Check the project\'s agent files and instructions; the same JSON as "cadre lint --json"',
    schema: objectSchema({ files: listSchema(anyObject), summary: anyObject }),
    async answer(_, context) {
      const { environment } = placeOf(context)
      const { files, summary } = await lintProject(environment, context.home, () => {})
      return { body: { files, summary } as unknown as JsonObject }
    },
  },
  explain: {
    operation: 'explain',
    role: 'viewer',
    summary: 'Explain what the gate would decide for a call; the same JSON as "cadre policy explain --json"',
    description: 'Does not run anything. `hooks` lists the hooks that would also decide in a session.',
    body: bodySchema({
      'agent?': name,
      tool: name,
      input: { type: 'object' },
      'depth?': { type: 'string', minLength: 1, maxLength: 1000 },
    }),
    schema: anyObject,
    async answer({ body: { agent, tool, input, depth } }, context) {
      const { environment, flags } = placeOf(context)
      const explainer = await createExplainer(environment, {
        ...flags,
        workspace: context.workspace,
        agent,
        ...(depth !== undefined && { depth: readDepth(depth) }),
      })
      return { body: (await explainer.explain(tool, input)) as unknown as JsonObject }
    },
  },
}

/** Evaluates requests like a command in the daemon's workspace. Ignores warnings, because the daemon already reports them as problems. */
function placeOf({ environment, workspace, home }: RouteContext) {
  return {
    environment: { ...environment, cwd: workspace, warn: () => {} },
    flags: { home: home.path },
  }
}
