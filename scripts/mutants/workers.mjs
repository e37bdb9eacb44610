const watch = 'packages/restate/src/client/tree-watch.ts'
const deliveries = 'packages/server/src/remote/remote-deliveries.ts'
const cancelTests = 'packages/server/src/remote/cancel-remote.test.ts'
const ledger = 'packages/core/src/budget/apply-to-ledger.ts'
const ledgerTests = 'packages/core/src/budget/apply-to-ledger.test.ts'
const checkouts = 'packages/workspaces/src/checkouts'

const engine = 'packages/restate/src/engine/restate-engine.ts'
const arrivals = 'packages/restate/src/engine/arrivals.ts'
const ordered = 'packages/restate/src/engine/ordered-tree.ts'
const lifeTests = ['packages/restate/src/engine/restate-engine.test.ts']
const orderTests = ['packages/restate/src/engine/ordered-tree.test.ts']
const questionTests = ['tests/engine/questions.test.ts']
const records = ['packages/server/src/remote/mirrored-records.test.ts']

/** Sessions that run on workers. */
export const workerMutants = {
  tests: ['packages/restate/src/client/tree-watch.test.ts'],
  rows: [
    ['nobody learns of changes to sleeping trees', watch, 'this.#reportOthers(roots)', ''],
    ['an old rest is reported', watch, 'version > watched.after', 'version >= watched.after'],
    [
      'a tree waits forever for a life that is lost',
      arrivals,
      'this.#last.get(root)?.abort()',
      '',
      lifeTests,
    ],
    [
      'a brief failure of the server ends a tree',
      engine,
      'this.#untilAnswered(() => this.#readOnce(id))',
      'this.#readOnce(id)',
      lifeTests,
    ],
    [
      'a budget does not count a child that the directory does not know yet',
      engine,
      'this.#seen.note(root, head)',
      '',
      lifeTests,
    ],
    [
      'a worker that drains strands an attempt that has just arrived',
      engine,
      '!this.#arrivals.areOver || this.#held.size > 0',
      'this.#held.size > 0',
      lifeTests,
    ],
    [
      'a worker that drains strands an attempt that has just failed',
      arrivals,
      'if (!isDone) this.#failed',
      'if (isDone) this.#failed',
      ['packages/restate/src/engine/arrivals.test.ts'],
    ],
    [
      'sleeping trees fill the memory of a worker',
      'packages/restate/src/engine/rested-trees.ts',
      'void this.#forgetArchived()',
      '',
      lifeTests,
    ],
    [
      'a tree is forgotten before others can read it',
      'packages/restate/src/engine/rested-trees.ts',
      '.catch(() => false)) this.#forget(attempt)',
      '.catch(() => false) !== undefined) this.#forget(attempt)',
      lifeTests,
    ],
    [
      'what is archived does not count when a journal is rolled over',
      engine,
      'log.bytes + archive.bytes >',
      'log.bytes >',
      lifeTests,
    ],
    [
      'messages do not count when a journal is rolled over',
      'packages/restate/src/log/tree-log.ts',
      'if (this.listening > 0) this.bytes += JSON.stringify(order).length',
      '',
      lifeTests,
    ],
    [
      'the server may interrupt long calls',
      'packages/restate/src/worker/check-service.ts',
      'secondsIn(abort) < day',
      'secondsIn(abort) < 0',
      ['packages/restate/src/worker/register-worker.test.ts'],
    ],
    [
      'only the settings of trees are checked',
      'packages/restate/src/worker/register-worker.ts',
      'of Object.entries(names)',
      'of Object.entries(names).slice(0, 1)',
      ['packages/restate/src/worker/register-worker.test.ts'],
    ],
    [
      'a keeper that is closed keeps asking',
      'packages/restate/src/ingress.ts',
      'anyOf([this.#signal, own])',
      'own ?? this.#signal',
      ['packages/restate/src/ingress.test.ts'],
    ],
    [
      'a tree waits forever for a life that does not stop',
      engine,
      'unwindLimit, () => {',
      'unwindLimit, () => {\n      return',
      lifeTests,
    ],
    [
      'a call that another machine runs is repeated too early',
      ordered,
      'this.#host.alone(), ',
      'undefined, ',
      lifeTests,
    ],
    [
      'an answer that a lost life recorded does not continue the tree',
      'packages/restate/src/engine/tree-messages.ts',
      'of log.heardBefore.values()',
      'of []',
      lifeTests,
    ],
    [
      'an answer to a session that the run does not open is never used',
      ordered,
      'messages.toContinue()',
      '[]',
      orderTests,
    ],
    [
      'an answer continues the run instead of the session that asked',
      'packages/restate/src/engine/carry-out-order.ts',
      'await recordAnswer(log, message)\n      return resumeUncancelled(message.session',
      'await recordAnswer(log, message)\n      return resumeUncancelled(log.root',
      orderTests,
    ],
    [
      'a cancelled session begins again on the next worker',
      ordered,
      'this.#readAll(log.heardBefore)',
      'this.#readAll([])',
      orderTests,
    ],
    [
      'a tree that rests is shown as running forever',
      'packages/restate/src/engine/rest-as-is.ts',
      "result === undefined || result.kind === 'continued'",
      'result === undefined',
      orderTests,
    ],
    [
      'a tree waits for a session that was cancelled',
      'packages/restate/src/engine/rest-as-is.ts',
      "result.kind !== 'waiting' || log.isOpen(result.session)",
      'log.root !== undefined',
      orderTests,
    ],
    [
      'an answer revives a cancelled run',
      'packages/core/src/tree/session-to-resume.ts',
      "ended?.status !== 'cancelled' || cancelledBy !== 'person'",
      "ended?.status !== 'cancelled' || cancelledBy !== undefined",
      questionTests,
    ],
    [
      'a session that waits for a child sleeps forever',
      'packages/core/src/tree/session-to-resume.ts',
      '    top = above\n',
      '',
      questionTests,
    ],
    [
      'an approval of a child has no effect while its run waits',
      'packages/runtime/src/can-run-unattended.ts',
      '(!isOfRun || !isEndedStatus(stored.status))',
      '(!isOfRun || isEndedStatus(stored))',
      ['packages/server/src/sessions/can-run-unattended.test.ts'],
    ],
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
      'a link moves a session to another folder of the worker',
      `${checkouts}/use-checkouts.ts`,
      'isInside(top, place) && ',
      '',
      [`${checkouts}/use-checkouts.test.ts`],
    ],
    [
      'an order moves a session to another folder of the worker',
      `${checkouts}/checkout-paths.ts`,
      'isInside(top, workspace) && recordedCheckout(root, below) === workspace',
      'workspace.length > below.length',
      [`${checkouts}/checkout-paths.test.ts`],
    ],
    [
      'agents can remove what is stored',
      `${checkouts}/checkout-git.ts`,
      "place('pack')], at)).code !== 0",
      "place('pack')], at)).code !== 0 || rmSync(place('pack')) === undefined",
      [`${checkouts}/checkout-files.test.ts`],
    ],
    [
      'a push fails forever because of a branch below',
      `${checkouts}/free-branches.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text.
      'other.startsWith(`${ref}/`) || ',
      '',
      [`${checkouts}/free-branches.test.ts`],
    ],
    [
      'line ends change when another worker continues',
      `${checkouts}/checkout-git.ts`,
      '[gitDir, asBytes]',
      '[gitDir, asText]',
      [`${checkouts}/checkout-files.test.ts`],
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
      'a person who votes the same again is not heard',
      'packages/server/src/remote/local-changes.ts',
      'return count <= 0',
      'return !before.includes(key)',
      ['packages/server/src/remote/local-votes.test.ts'],
    ],
    [
      'a vote forgets who no longer counts',
      'packages/server/src/remote/local-changes.ts',
      '({ at: _, ...answer })',
      '({ at: _, without: __, ...answer })',
      ['packages/server/src/remote/local-votes.test.ts'],
    ],
    [
      'what a command added to a session file is sent',
      'packages/server/src/remote/session-mirror.ts',
      'if (doubtsAbout(home, id).length > 0) return restores',
      'if (doubtsAbout(home, id).length > 99) return restores',
      records,
    ],
    [
      'a tree counts a session of another tree as its own',
      'packages/server/src/remote/session-mirror.ts',
      'if (isMirrored || record !== undefined) ids',
      'ids',
      records,
    ],
    [
      'a worker overwrites the file of another session',
      'packages/journal/src/engine/session-projection.ts',
      'if (spec.id === id && spec.root === root) return',
      'if (spec.root !== undefined) return',
      records,
    ],
    [
      'a worker overwrites a session of the engine on files',
      'packages/journal/src/engine/session-projection.ts',
      'if (other !== place || stored.spec.root !== root)',
      'if (other !== place && stored.spec.root !== root)',
      records,
    ],
    [
      'an edit that is saved while the file is written is lost',
      'packages/journal/src/engine/session-projection.ts',
      'stampOf(old).is) !== expected',
      "stampOf(old).is) === 'never'",
      records,
    ],
    [
      'a command leaves no note about a session file that it changed',
      'packages/home/src/trust/doubtful-files.ts',
      "writeFileSync(note, '', { flag: 'wx', mode: 0o600 })",
      '',
      ['tests/gate/worker-session-files.test.ts'],
    ],
    [
      'a life that repeats an answer reports the child instead of the run',
      'packages/restate/src/engine/carry-out-order.ts',
      'return isOld && target !== log.root ? restAsIs(host, signal) : result',
      'return result',
      orderTests,
    ],
    [
      'a message that the server has is not cancelled',
      deliveries,
      'return this.#sent.has(file) || (isRestored',
      'return (isRestored',
      [cancelTests],
    ],
    [
      'a start that an earlier daemon has sent is not cancelled',
      deliveries,
      'return this.#sent.has(file) || (isRestored === true',
      'return this.#sent.has(file) || (isRestored === undefined',
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
