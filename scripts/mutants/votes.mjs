/** Mistakes in approvals by several people. */
const core = 'packages/core/src/session/recorded-votes.ts'
const voter = 'packages/gate/src/approvals/voter.ts'
const count = 'packages/gate/src/approvals/count-votes.ts'
const demand = ['packages/gate/src/approvals/create-demand.test.ts']

export const voteMutants = {
  tests: ['tests/gate/votes.test.ts', 'packages/core/src/session/recorded-votes.test.ts'],
  rows: [
    [
      'one vote too few decides',
      core,
      'if (same.length < need.quorum) continue',
      'if (same.length < need.quorum - 1) continue',
    ],
    ['a person counts once per vote', core, 'const words = latestVotes(votes)', 'const words = [...votes]'],
    ['a rejection does not decide', core, 'if (rejected !== undefined) {', 'if (rejected === undefined) {'],
    [
      'an answer without a person is a vote',
      core,
      'if (by === undefined || via === undefined)',
      'if (by === undefined)',
    ],
    ['a stricter policy is ignored', core, 'quorum > before.quorum ||', ''],
    ['every role counts', voter, 'if (!roles.some((role) => need.roles.includes(role))) {', 'if (false) {'],
    ['the starter counts', voter, 'if (starters.some((starter) => isSame(name, starter)))', 'if (false)'],
    ['an unknown giver is nobody', voter, 'if (starters.includes(unknownRequester))', 'if (false)'],
    [
      'only the session itself names givers',
      'packages/gate/src/approvals/starters-of.ts',
      '...childrenIn(stored).map((child)',
      '...childrenIn({ ...stored, entries: [] }).map((child)',
      ['packages/gate/src/approvals/starters-of.test.ts'],
    ],
    ['anyone can vote for anyone', count, 'return vouches(uid) ||', 'return true ||'],
    [
      'the risk of a rule is ignored',
      'packages/gate/src/approvals/create-require-approvals.ts',
      '(risk === undefined || isAtLeast(verdict.risk, risk)) &&',
      '',
      demand,
    ],
    [
      'a hook can meet the need',
      'packages/gate/src/approvals/create-require-approvals.ts',
      'return { ...verdict, firm: true, approvals: need }',
      'return { ...verdict, approvals: need }',
      demand,
    ],
  ],
}
