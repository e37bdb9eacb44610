/**
 * Serialized answers of routes whose data has a version, so that an unchanged answer is not built and compressed again.
 *
 * 1. An answer is returned only for exactly the address and the version that it was built for.
 * 2. It is the same for everyone who may call the route. The site checks the caller first, for every request.
 */
export interface CachedAnswer {
  readonly bytes: Buffer
  readonly etag: string
}

export interface AnswerCache {
  find(address: string, version: string): CachedAnswer | undefined
  keep(address: string, version: string, answer: CachedAnswer): void
}

const maxAnswers = 20
const maxBytes = 1 << 20
const maxAddress = 500

export function createAnswerCache(): AnswerCache {
  const known = new Map<string, CachedAnswer & { readonly version: string }>()
  return {
    find(address, version) {
      const found = known.get(address)
      return found?.version === version ? found : undefined
    },
    keep(address, version, { bytes, etag }) {
      // The oldest answer is the first one.
      known.delete(address)
      if (bytes.length > maxBytes || address.length > maxAddress) return
      known.set(address, { bytes, etag, version })
      for (const oldest of known.keys()) {
        if (known.size <= maxAnswers) break
        known.delete(oldest)
      }
    },
  }
}
