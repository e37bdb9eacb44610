const watch = 'packages/restate/src/client/tree-watch.ts'
const deliveries = 'packages/server/src/remote/remote-deliveries.ts'
const cancelTests = 'packages/server/src/remote/cancel-remote.test.ts'
const ledger = 'packages/core/src/budget/apply-to-ledger.ts'
const ledgerTests = 'packages/core/src/budget/apply-to-ledger.test.ts'
const checkouts = 'packages/workspaces/src/checkouts'

/** Sessions that run on workers. */
export const workerMutants = {
  tests: ['packages/restate/src/client/tree-watch.test.ts'],
  rows: [
    ['nobody learns of changes to sleeping trees', watch, 'this.#reportOthers(roots)', ''],
    ['an old rest is reported', watch, 'version > watched.after', 'version >= watched.after'],
    [
      'a worker that stood still overwrites files',
      `${checkouts}/checkout-repository.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text.
      '`--force-with-lease=${ref}:${expected}`',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text.
      "`--force${ref && expected && ''}`",
      [`${checkouts}/open-checkouts.test.ts`],
    ],
    [
      'every user of the machine sees the password of a repository',
      `${checkouts}/hide-credentials.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text.
      'address: `${scheme}${host}${rest}`',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text.
      'address: address || `${scheme}${host}${rest}`',
      [`${checkouts}/hide-credentials.test.ts`],
    ],
    [
      'doctor leaves a ref in the repository',
      `${checkouts}/checkout-repository.ts`,
      "isTrial ? ['--dry-run'] : []",
      "isTrial ? ['--quiet'] : []",
      ['tests/checkouts/doctor.test.ts'],
    ],
    [
      'removed entries come back',
      'packages/server/src/remote/local-changes.ts',
      'mergeEntries(base.entries, edited, record.entries)',
      'mergeEntries([], edited, record.entries)',
      ['packages/server/src/remote/local-changes.test.ts'],
    ],
    [
      'a message that the server has is not cancelled',
      deliveries,
      'isRestored || this.#sent.has(file)',
      'isRestored',
      [cancelTests],
    ],
    [
      'a start that an earlier daemon has sent is not cancelled',
      deliveries,
      'isRestored || this.#sent.has(file)',
      'this.#sent.has(file) || isRestored === null',
      [cancelTests],
    ],
    [
      'sessions on workers that start at the same time exceed daemon.parallel',
      deliveries,
      'isFull() || !this.#queue.has(queued)',
      '!this.#queue.has(queued)',
      [cancelTests],
    ],
    [
      'an outage of the ledger frees the slots of trees that run',
      ledger,
      'until: slot.until + silence',
      'until: slot.until + 0 * silence',
      [ledgerTests],
    ],
    [
      'a tree that the ledger has lost does not count again',
      ledger,
      'if (!isHeld(tree)) next.push(slotOf(tree))',
      'if (tree === undefined) next.push(slotOf(tree))',
      [ledgerTests],
    ],
  ],
}
