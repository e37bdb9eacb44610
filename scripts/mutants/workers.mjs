const watch = 'packages/restate/src/client/tree-watch.ts'
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
  ],
}
