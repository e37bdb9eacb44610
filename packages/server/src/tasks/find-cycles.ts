/** The ids that each id waits for. */
export type WaitGraph = ReadonlyMap<string, readonly string[]>

/** In a larger group, Cadre does not search for a path through each task. */
const shownMost = 100

/**
 * Every id that depends on itself, directly or not, with a path back to itself: `[a, b, a]`. In a very large group, the path is
 * the id alone.
 */
export function findCycles(waits: WaitGraph): ReadonlyMap<string, readonly string[]> {
  const cycles = new Map<string, readonly string[]>()
  for (const group of groupsOf(waits)) {
    const members = new Set(group)
    for (const id of group) cycles.set(id, group.length > shownMost ? [id] : pathBack(id, waits, members))
  }
  return cycles
}

/** Strongly connected components (Tarjan's algorithm). It does not recurse, because chains of ten thousand tasks are common. */
function groupsOf(waits: WaitGraph): string[][] {
  const groups: string[][] = []
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const enter = (id: string) => {
    order.set(id, order.size)
    low.set(id, order.get(id) as number)
    open.push(id)
    isOpen.add(id)
    return { id, next: 0 }
  }
  const lower = (id: string, to: number) => low.set(id, Math.min(low.get(id) as number, to))
  for (const start of waits.keys()) {
    if (order.has(start)) continue
    const path = [enter(start)]
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = waits.get(top.id)?.[top.next++]
      if (target !== undefined) {
        if (!order.has(target)) path.push(enter(target))
        else if (isOpen.has(target)) lower(top.id, order.get(target) as number)
        continue
      }
      path.pop()
      const above = path.at(-1)
      if (above !== undefined) lower(above.id, low.get(top.id) as number)
      if (low.get(top.id) !== order.get(top.id)) continue
      const group = open.splice(open.indexOf(top.id))
      for (const id of group) isOpen.delete(id)
      if (group.length > 1 || waits.get(top.id)?.includes(top.id)) groups.push(group)
    }
  }
  return groups
}

function pathBack(id: string, waits: WaitGraph, members: ReadonlySet<string>): readonly string[] {
  const from = new Map<string, string>()
  const queue = [id]
  for (const node of queue)
    for (const target of waits.get(node) ?? []) {
      if (target === id) {
        const way = [id]
        for (let at = node; at !== id; at = from.get(at) as string) way.unshift(at)
        return [id, ...way]
      }
      if (!members.has(target) || from.has(target)) continue
      from.set(target, node)
      queue.push(target)
    }
  return [id]
}
