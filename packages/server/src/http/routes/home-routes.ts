import type { Routes } from '../http-route.ts'
import { anyObject, listSchema, objectSchema, schemaRef } from '../schemas.ts'

export const homeRoutes: Routes<'status' | 'listProblems'> = {
  status: {
    operation: 'status',
    role: 'viewer',
    summary: 'Get the daemon\'s state; the same JSON as "cadre status --json"',
    schema: anyObject,
    answer: (_, { status }) => ({ body: status() }),
  },
  listProblems: {
    operation: 'listProblems',
    role: 'viewer',
    summary: 'List problems in files, with their locations',
    schema: objectSchema({ items: listSchema(schemaRef('ProblemItem')) }),
    answer: (_, { problems }) => ({ body: { items: problems() } }),
  },
}
