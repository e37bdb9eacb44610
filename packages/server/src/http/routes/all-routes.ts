import type { OperationName } from '@cadre/api'
import type { AnyRoute, Routes } from '../http-route.ts'
import { accessRoutes } from './access-routes.ts'
import { agentRoutes } from './agent-routes.ts'
import { approvalRoutes } from './approval-routes.ts'
import { homeRoutes } from './home-routes.ts'
import { journalRoutes } from './journal-routes.ts'
import { lineRoutes } from './line-routes.ts'
import { operateRoutes } from './operate-routes.ts'
import { peopleRoutes } from './people-routes.ts'
import { searchRoutes } from './search-route.ts'
import { sessionRoutes } from './session-routes.ts'
import { taskRoutes } from './task-routes.ts'
import { workspaceRoutes } from './workspace-routes.ts'

const table: Routes<Exclude<OperationName, 'events'>> = {
  ...accessRoutes,
  ...homeRoutes,
  ...sessionRoutes,
  ...approvalRoutes,
  ...operateRoutes,
  ...journalRoutes,
  ...taskRoutes,
  ...workspaceRoutes,
  ...agentRoutes,
  ...lineRoutes,
  ...searchRoutes,
  ...peopleRoutes,
}

/** Every route, by its operation. */
export const allRoutes = table as unknown as { readonly [name in OperationName]?: AnyRoute }
