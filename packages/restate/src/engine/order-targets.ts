import type { TreeLog } from '../log/tree-log.ts'
import { needsRunningTree, type TreeMessage, type TreeOrder } from '../tree-order.ts'

export type Cancel = Extract<TreeMessage, { kind: 'cancel' }>

/** An order with its number in the mailbox of its tree. */
export interface NumberedOrder {
  readonly n: number
  readonly order: TreeOrder
}

export function cancelIn(order: TreeOrder): Cancel | undefined {
  return order.kind === 'message' && order.message.kind === 'cancel' ? order.message : undefined
}

/** Returns the numbers of the orders that a later cancel takes back, because they would continue a session that it ends. */
export async function takenBack(
  orders: readonly NumberedOrder[],
  log: TreeLog,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>()
  for (const { n, order } of orders) {
    const session = continuedBy(order)
    if (session === undefined) continue
    for (const later of orders) {
      const cancel = later.n > n ? cancelIn(later.order) : undefined
      if (cancel !== undefined && (await log.isWithin(session, cancel.session))) found.add(n)
    }
  }
  return found
}

/** Whether a cancel that was sent after an order has taken it back. */
export async function isTakenBack(
  order: NumberedOrder,
  later: readonly NumberedOrder[],
  log: TreeLog,
): Promise<boolean> {
  return (await takenBack([order, ...later], log)).has(order.n)
}

/** Returns the order that an invocation carries out first. It receives the others as messages. */
export function firstOf(
  orders: readonly NumberedOrder[],
  ignored: ReadonlySet<number>,
): NumberedOrder | undefined {
  // Nothing else can create the tree. If a cancel was stored before, it ends the tree as soon as it exists.
  const start = orders.find(({ order }) => order.kind === 'start')
  return start ?? orders.find(({ n, order }) => !ignored.has(n) && !needsRunningTree(order))
}

function continuedBy(order: TreeOrder): string | undefined {
  if (order.kind === 'resume') return order.session
  if (order.kind !== 'message') return undefined
  const { message } = order
  return message.kind === 'tell' || message.kind === 'answer' || message.kind === 'resume'
    ? message.session
    : undefined
}

/** Returns the session that has something to do because of an order to a running tree, unless the session runs. */
export function wokenBy(order: TreeOrder): string | undefined {
  if (order.kind === 'resume') return order.session
  if (order.kind !== 'message') return undefined
  const { message } = order
  return message.kind === 'answer' || message.kind === 'resume' || message.kind === 'edit'
    ? message.session
    : undefined
}

/** Whether the order also wakes a session that has ended. */
export function wakesEnded(order: TreeOrder): boolean {
  return order.kind !== 'message' || order.message.kind !== 'edit' || order.message.resumes === true
}
