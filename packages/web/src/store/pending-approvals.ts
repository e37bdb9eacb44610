import type { Approval } from '@cadre/api'
import { computed, signal } from '@preact/signals'

/** The approvals that the page knows: pending ones, and those decided while the page was open. */
export class PendingApprovals {
  readonly #all = signal<ReadonlyMap<string, Approval>>(new Map())

  /** Oldest first. */
  readonly pending = computed(() =>
    [...this.#all.value.values()].filter(({ status }) => status === 'pending').sort(byAge),
  )

  get(id: string): Approval | undefined {
    return this.#all.value.get(id)
  }

  /** One session's pending approvals. */
  ofSession(session: string): readonly Approval[] {
    return this.pending.value.filter((approval) => approval.session === session)
  }

  put(approval: Approval): void {
    const known = this.#all.peek().get(approval.id)
    // A decision is final: an older event must not reopen the approval.
    if (known !== undefined && known.status !== 'pending' && approval.status === 'pending') return
    const { objection = known?.objection } = approval
    const now = { ...approval, ...(objection !== undefined && { objection }) }
    this.#all.value = new Map(this.#all.peek()).set(approval.id, now)
  }

  /** Sets why this person's decision would not count. The stream is the same for everyone, so it does not contain this. */
  object(id: string, objection: string | undefined): void {
    const known = this.#all.peek().get(id)
    if (known === undefined || known.objection === objection) return
    const { objection: _, ...rest } = known
    const now = { ...rest, ...(objection !== undefined && { objection }) }
    this.#all.value = new Map(this.#all.peek()).set(id, now)
  }

  /** Replaces the pending approvals with the server's current ones. Approvals that the server no longer has were withdrawn. */
  reset(pending: readonly Approval[]): void {
    const all = new Map(pending.map((approval) => [approval.id, approval]))
    for (const known of this.#all.peek().values())
      if (!all.has(known.id) && known.status !== 'pending') all.set(known.id, known)
    this.#all.value = all
  }
}

function byAge(a: Approval, b: Approval): number {
  return a.created < b.created ? -1 : a.created > b.created ? 1 : a.id < b.id ? -1 : 1
}
