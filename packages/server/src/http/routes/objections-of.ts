import type { Objections, RouteContext } from '../api-context.ts'
import { type Caller, mayAct } from '../guard/caller.ts'
import { readOnlyText } from '../problem.ts'

/** Returns a function that explains, in a sentence, why the caller's decision on a pending approval would be rejected. */
export async function objectionsOf(caller: Caller, context: RouteContext): Promise<Objections> {
  const own = refusalOf(caller, context)
  const objections = own === undefined ? await context.approvals.objections(caller) : async () => own
  return async (record) => (record.status === 'pending' ? objections(record) : undefined)
}

/** The same errors that the site returns for the decision itself. */
function refusalOf(caller: Caller, { readOnly }: Pick<RouteContext, 'readOnly'>): string | undefined {
  if (readOnly) return readOnlyText
  if (mayAct(caller, 'approver')) return undefined
  return `You need the role approver to decide. You have: ${caller.roles.join(', ') || 'none'}.`
}
