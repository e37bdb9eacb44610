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
      'an option of git hides the command after its value',
      `${gate}/commands/programs/describe-git.ts`,
      '--(?:git-dir|work-tree|',
      '--(?:',
      ['tests/gate/commands-bypass.test.ts'],
    ],
    [
      'an address without a host matches no rule about hosts',
      `${gate}/permissions/create-permissions-rule.ts`,
      "replace(/\\.$/, '') || undefined",
      "replace(/\\.$/, '')",
      ['packages/gate/src/permissions'],
    ],
    [
      'one approval covers all addresses without a host',
      `${gate}/effects/create-effects-rule.ts`,
      "return host === '' ? undefined : ",
      'return ',
      ['packages/gate/src/effects/outbound-grants.test.ts'],
    ],
    [
      'xargs deletes what another command names',
      `${gate}/commands/find-danger.ts`,
      'if (piped !== undefined) return piped',
      '',
      ['tests/gate/commands-bypass.test.ts'],
    ],
    [
      'a comment hides a statement that drops a table',
      `${gate}/commands/find-danger.ts`,
      "sql.replace(commentsOutsideStrings, (_, quoted?: string) => quoted ?? ' '),",
      '',
      ['tests/gate/commands-bypass.test.ts'],
    ],
    [
      'a variable hides a system folder',
      `${gate}/commands/find-visible-commands.ts`,
      'this.#values.set(name, value)',
      'this.#values.delete(name)',
      ['tests/gate/commands-bypass.test.ts'],
    ],
    [
      'the value of an option hides what mv moves',
      `${gate}/commands/find-danger.ts`,
      "if (value === '') at++",
      '',
      ['tests/gate/commands-bypass.test.ts'],
    ],
    [
      'a role without commands runs one',
      `${gate}/roles/create-role-rule.ts`,
      "if (commands !== 'copy') return",
      'if (false) return',
      ['tests/gate/roles.test.ts', 'tests/gate/tree.test.ts'],
    ],
    [
      'a command is called unstarted if a signal ended its sandbox',
      `${gate}/sandbox/run-guarded-command.ts`,
      'end.code === null || end.code > 128',
      'false',
      ['tests/gate/sandbox.test.ts'],
    ],
    [
      'a rule about hosts covers only one tool',
      'packages/core/src/vocabulary/select-tools.ts',
      'return tool.address !== undefined && ',
      'return false && ',
      ['packages/gate/src/permissions', 'tests/engine/permissions.test.ts'],
    ],
    [
      'a rule that allows one tool to fetch allows all',
      'packages/core/src/rules/permissions.ts',
      "return action === 'allow' ? ",
      'return false ? ',
      ['tests/engine/permissions.test.ts'],
    ],
  ],
}
