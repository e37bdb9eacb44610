/** What waits for what, by id. */
export type Waits = ReadonlyMap<string, readonly string[]>

/** A circle is looked for through each of so many; of more, only that they wait for each other is said. */
const shownMost = 100

/**
 * Everything that waits for itself, however far around, each with a way from it back to it: `[a, b, a]`. Where too many wait
 * for each other, with itself alone.
 */
export function findCircles(waits: Waits): ReadonlyMap<string, readonly string[]> {
  const circles = new Map<string, readonly string[]>()
  for (const group of knotsOf(waits)) {
    const members = new Set(group)
    for (const id of group) circles.set(id, group.length > shownMost ? [id] : wayBack(id, waits, members))
  }
  return circles
}

/** Groups in which each is reached from each (Tarjan's), without recursion: a chain of ten thousand is nothing unusual. */
function knotsOf(waits: Waits): string[][] {
  const knots: string[][] = []
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
      const knot = open.splice(open.indexOf(top.id))
      for (const id of knot) isOpen.delete(id)
      if (knot.length > 1 || waits.get(top.id)?.includes(top.id)) knots.push(knot)
    }
  }
  return knots
}

function wayBack(id: string, waits: Waits, members: ReadonlySet<string>): readonly string[] {
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
