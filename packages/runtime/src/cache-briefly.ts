const cacheMs = 1000

/** Caches a result briefly: it is needed for every call, and takes several system calls. */
export function cacheBriefly<Answer>(ask: (key: string) => Answer): (key: string) => Answer {
  let known = new Map<string, Answer>()
  let until = 0
  return (key) => {
    if (performance.now() > until) {
      known = new Map()
      until = performance.now() + cacheMs
    }
    if (!known.has(key)) known.set(key, ask(key))
    return known.get(key) as Answer
  }
}
