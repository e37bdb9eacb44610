const gate = 'packages/gate/src'

/** The rules that judge calls. */
export const gateMutants = {
  tests: ['packages/gate/src/commands', 'tests/gate/commands-injection.test.ts', 'tests/gate/bypass.test.ts'],
  rows: [
    [
      'a line that needs a shell is allowed',
      `${gate}/commands/create-command-rule.ts`,
      'if (line.plan === undefined)',
      'if (false)',
    ],
    [
      'who runs no commands runs some',
      `${gate}/roles/create-role-rule.ts`,
      "if (commands !== 'copy') return",
      'if (false) return',
      ['tests/gate/roles.test.ts', 'tests/gate/tree.test.ts'],
    ],
  ],
}
