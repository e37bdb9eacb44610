/** Caches what is created for a key. Keys can come from models, so the cache is cleared at a limit. */
export function memoize<Value>(most = 500): (key: string, make: () => Value) => Value {
  const known = new Map<string, Value>()
  return (key, make) => {
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= most) known.clear()
    const made = make()
    known.set(key, made)
    return made
  }
}
