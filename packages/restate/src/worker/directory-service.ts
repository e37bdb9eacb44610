/**
 * The durable object that lists which trees of a place have changed, so that a daemon waits for all of them with one request.
 *
 * 1. A change is a hint. Clients read the tree itself, so a repeated note is harmless, and a note that is missing only delays them until
 *    they compare all trees.
 * 2. `listen` and `note` exclude each other. So a change either answers `listen` immediately or finds the listener: no change is missed.
 * 3. A listener whose client has gone is removed by the next change, or when the same client listens again.
 */
import type { ObjectContext, ObjectSharedContext, RetryPolicy } from '@restatedev/restate-sdk'
import type { Sdk } from '../load-sdk.ts'
import type { PlaceNames } from '../place-names.ts'
import type { Changes, ChangesQuery, DirectoryHandlers, Listener, TreeNote } from './handlers.ts'
import { retryPolicy } from './retry-policy.ts'

/** The only key, after the scope. */
export const directoryKey = 'place'

/** How long `changes` waits. */
const changesWait = { seconds: 20 }

/** One value, so that a note reads and writes once. */
interface Book {
  /** The number of the last change. */
  readonly seq: number
  /** The trees that changed last, each once, with the number of its last change, in order. */
  readonly trees: readonly (readonly [root: string, seq: number])[]
  readonly listeners: readonly Listener[]
}

/** A client that knows less compares all trees. */
const maxRecent = 100

const rootKey = (session: string): string => `root/${session}`

const options = {
  journalRetention: 0,
  idempotencyRetention: 0,
  // The state has a key for each child session of the place.
  enableLazyState: true,
  retryPolicy,
} as const

/** A wait may be bound to a worker that does not come back. Its client asks again. */
const waitPolicy: RetryPolicy = { ...retryPolicy, maxAttempts: 20, onMaxAttempts: 'kill' }

export function directoryService(sdk: Sdk, names: PlaceNames) {
  const { exclusive, shared } = sdk.handlers.object
  const read = async (ctx: ObjectSharedContext): Promise<Book> =>
    (await ctx.get<Book>('book')) ?? { seq: 0, trees: [], listeners: [] }
  return sdk.object({
    name: names.directory,
    handlers: {
      note: exclusive(options, async (ctx: ObjectContext, { root, sessions }: TreeNote) => {
        const before = await read(ctx)
        const seq = before.seq + 1
        const others = before.trees.filter(([other]) => other !== root)
        const book: Book = { seq, trees: [...others.slice(1 - maxRecent), [root, seq]], listeners: [] }
        ctx.set('book', book)
        for (const session of sessions) ctx.set(rootKey(session), root)
        for (const { awakeable, since } of before.listeners)
          ctx.resolveAwakeable(awakeable, changesIn(book, since))
      }),
      changes: shared(
        { ...options, retryPolicy: waitPolicy },
        async (ctx: ObjectSharedContext, query: ChangesQuery): Promise<Changes> => {
          const known = changesIn(await read(ctx), query.since)
          if (hasChanges(known)) return known
          const { id: awakeable, promise } = ctx.awakeable<Changes>()
          const directory = ctx.objectSendClient<DirectoryHandlers>({ name: names.directory }, ctx.key)
          directory.listen({ ...query, awakeable })
          return sdk.RestatePromise.race([promise, ctx.sleep(changesWait).map(() => known)])
        },
      ),
      listen: exclusive(options, async (ctx: ObjectContext, listener: Listener) => {
        const book = await read(ctx)
        const known = changesIn(book, listener.since)
        if (hasChanges(known)) {
          ctx.resolveAwakeable(listener.awakeable, known)
          return
        }
        const others = book.listeners.filter(({ client }) => client !== listener.client)
        ctx.set('book', { ...book, listeners: [...others, listener] } satisfies Book)
      }),
      rootOf: shared(options, (ctx: ObjectSharedContext, session: string) =>
        ctx.get<string>(rootKey(session)),
      ),
    } satisfies DirectoryHandlers,
  })
}

/** A directory that was restored from a backup may know less than its clients. */
function changesIn({ seq, trees }: Book, since: number | null): Changes {
  const forgotten = trees.length < maxRecent ? 0 : (trees[0]?.[1] ?? 0)
  if (since === null || since > seq || since < forgotten) return { seq, roots: null }
  return { seq, roots: trees.flatMap(([root, last]) => (last > since ? [root] : [])) }
}

function hasChanges({ roots }: Changes): boolean {
  return roots === null || roots.length > 0
}
