import type { Budget } from '../ports/agent.ts'
import type { Engine, StoredSession } from '../ports/engine.ts'
import { CadreError } from '../ports/errors.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import { Account } from './budget.ts'
import { spendingInSubtree } from './spending.ts'

/**
 * Owns the accounts of the trees that run here, and decides which budgets apply to a session. Called by the orchestrator.
 *
 * 1. Trees that share a budget share its account: the tree of a task spends from the account of the session that created it.
 * 2. An account is opened from the journals before any session below it asks a model. It is kept while a tree that spends from it runs.
 */
export class Accounts {
  readonly #engine: Engine
  readonly #runBudget: (spec: SessionSpec) => Budget | undefined
  readonly #families = new Map<string, Family>()

  /** `runBudget`: the budget of the whole run that this entry session begins. */
  constructor(engine: Engine, runBudget: (spec: SessionSpec) => Budget | undefined) {
    this.#engine = engine
    this.#runBudget = runBudget
  }

  /** Keeps the accounts of this tree until the returned function is called. */
  hold(spec: SessionSpec): () => void {
    const root = accountRoot(spec)
    const family = this.#families.get(root) ?? { users: 0, accounts: new Map() }
    this.#families.set(root, family)
    family.users += 1
    return () => {
      family.users -= 1
      if (family.users === 0) this.#families.delete(root)
    }
  }

  /** The account of a session; `undefined` when no budget applies to it. Call `hold` for its tree first. */
  of(spec: SessionSpec): Promise<Account | undefined> {
    const family = this.#families.get(accountRoot(spec))
    if (family === undefined) throw new Error(`unreachable: the budget accounts of ${spec.id} are not open`)
    let account = family.accounts.get(spec.id)
    if (account === undefined) {
      account = this.#open(spec, family)
      family.accounts.set(spec.id, account)
      // Other trees may keep the family alive, so the next session must be able to try again.
      account.catch(() => family.accounts.delete(spec.id))
    }
    return account
  }

  /**
   * Returns the session whose budget pays for work that this session requested. Returns `undefined` if no budget applies, or if the name is
   * a person's.
   */
  async payerOf(session: string | undefined): Promise<SessionSpec['limits']['charged']> {
    const stored = session === undefined ? undefined : await this.#readIfNamed(session)
    if (stored === undefined) return undefined
    const { spec } = stored
    const letGo = this.hold(spec)
    try {
      if ((await this.of(spec)) === undefined) return undefined
      return { session: spec.id, root: accountRoot(spec) }
    } finally {
      letGo()
    }
  }

  /** The session that creates a task or sends a message. */
  storedPayer(session: string): Promise<StoredSession | undefined> {
    return this.#readIfNamed(session)
  }

  /** A name that cannot be a session id is the name of a person. */
  #readIfNamed(session: string): Promise<StoredSession | undefined> {
    return this.#engine.read(session).catch((error) => {
      if (error instanceof CadreError && error.code === 'usage') return undefined
      throw error
    })
  }

  async #open(spec: SessionSpec, family: Family): Promise<Account | undefined> {
    const { parent, charged } = above(spec)
    const link = parent ?? charged
    const known = link === undefined ? undefined : family.accounts.get(link)
    const stored = link === undefined || known ? undefined : await this.#engine.read(link)
    let account = await (known ?? (stored && this.of(stored.spec)))
    // The parent has no record, so only the run's budget is known.
    const isTop = parent === undefined || (known === undefined && stored === undefined)
    const run = isTop ? this.#runBudget(spec) : undefined
    const own = spec.limits.budget
    if (!isLimited(run) && !isLimited(own)) return account
    const spent = await spendingInSubtree(this.#engine, spec.id, accountRoot(spec))
    if (isLimited(run)) account = new Account(run, 'this run', account, spent)
    if (isLimited(own)) account = new Account(own, spec.agent.name, account, spent)
    return account
  }
}

interface Family {
  users: number
  readonly accounts: Map<string, Promise<Account | undefined>>
}

/** The entry session at the top of all trees that share a budget. */
function accountRoot(spec: SessionSpec): string {
  return spec.limits.charged?.root ?? spec.root
}

function above({ parent, limits }: SessionSpec): { parent?: string; charged?: string } {
  if (parent !== undefined) return { parent: parent.session }
  return limits.charged === undefined ? {} : { charged: limits.charged.session }
}

function isLimited(budget: Budget | undefined): budget is Budget {
  return budget?.tokens !== undefined || budget?.cost !== undefined || budget?.calls !== undefined
}
