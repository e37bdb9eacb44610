const last = new Map<string, Promise<unknown>>()

/** Runs the work for each key one at a time and in order, so that a repeated request finds the first one's result. */
export function runInOrder<T>(key: readonly string[], work: () => Promise<T>): Promise<T> {
  const name = key.join('\0')
  const mine = (last.get(name) ?? Promise.resolve()).then(work)
  const settled = mine.catch(() => {})
  last.set(name, settled)
  void settled.then(() => last.get(name) === settled && last.delete(name))
  return mine
}
