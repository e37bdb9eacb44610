import type { ArchiveHead } from '../log/archive.ts'

const maxSeen = 100_000

/**
 * Remembers the trees of sessions whose archive this process has read. The directory learns of new children after their tree has rested, but
 * a process that has read the name of a child in the record of its parent must find it before that.
 */
export class SeenRoots {
  readonly #roots = new Map<string, string>()

  rootOf(session: string): string | undefined {
    return this.#roots.get(session)
  }

  note(root: string, head: ArchiveHead | undefined): void {
    for (const session of Object.keys(head?.sessions ?? {})) {
      if (this.#roots.has(session)) continue
      this.#roots.set(session, root)
      const [oldest] = this.#roots.keys()
      if (oldest !== undefined && this.#roots.size > maxSeen) this.#roots.delete(oldest)
    }
  }
}
