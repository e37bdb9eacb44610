const core = 'packages/core/src'
const files = 'packages/home/src/teams'

/** Teammates and their messages. */
export const teamMutants = {
  tests: [
    'tests/engine/teams.test.ts',
    'tests/engine/team-deaths.test.ts',
    'tests/engine/team-files.test.ts',
    'tests/engine/team-controls.test.ts',
    'tests/engine/team-addresses.test.ts',
  ],
  rows: [
    [
      'a teammate that was stopped with its run is not resumed with it',
      `${core}/tree/teammates.ts`,
      "if (ended === undefined || (ended.status === 'cancelled' && cancelledBy === 'run')) return",
      'if (ended === undefined) return',
    ],
    [
      'members of a deleted team keep running',
      `${core}/tree/teammates.ts`,
      "return this.#end(mates, { kind: 'cancelled', by: 'parent' })",
      'return this.#end(mates, undefined)',
    ],
    [
      'a message that is refused restarts its teammate forever',
      `${core}/tree/teammates.ts`,
      ' || message === mate.refused',
      '',
    ],
    [
      'a message that arrives while a teammate ends waits for the next message',
      `${core}/tree/teammates.ts`,
      '      this.#wake(mate)\n      this.#tellChange()',
      '      this.#tellChange()',
    ],
    [
      'a lead ends although it has an unread message',
      `${core}/session/await-team.ts`,
      ' || hasUnrecordedMessages(session)) return false',
      ') return false',
    ],
    [
      'a lead receives the same report twice',
      `${core}/session/await-team.ts`,
      'collected: news.map(({ key }) => key)',
      'collected: []',
    ],
    [
      'a message wakes a teammate that a person stopped',
      `${core}/session/mail.ts`,
      "if (state.ended?.status === 'cancelled' && state.cancelledBy === 'person') return false",
      '',
    ],
    [
      'a message has no receipt',
      `${core}/session/mail.ts`,
      'await ports.teams?.received(spec.id, work.message as string)',
      '',
    ],
    [
      'any session deletes a team',
      `${core}/tree/change-team.ts`,
      'if (team === undefined && teams.leadOf(wanted) !== spec.id) {',
      'if (team === undefined && teams.leadOf(wanted) === undefined) {',
    ],
    [
      'a team that was created before a crash cannot be created again',
      `${files}/open-teams.ts`,
      'if (before?.createdBy === key) {',
      'if (false) {',
    ],
    [
      'a team takes another lead’s folder',
      `${files}/open-teams.ts`,
      'if (before !== undefined && isSession(before.leadAgentId))',
      'if (false)',
    ],
    [
      'if members share a name, the first gets the message',
      `${files}/open-teams.ts`,
      'if (only !== undefined && found.length === 1) {',
      'if (only !== undefined) {',
    ],
    [
      'a teammate can write to any agent',
      `${files}/team-only.ts`,
      'if (teamOnly !== true) return undefined',
      'return undefined',
    ],
    [
      'messages that are being written are not counted',
      `${files}/team.ts`,
      'if (!this.boxes.get(member)?.ids.has(id)) count += 1',
      'if (false) count += 1',
    ],
    [
      'a message that another program has read is delivered again',
      `${files}/import-inbox.ts`,
      " || message['read'] === true",
      '',
    ],
    [
      'a team’s folder may be a symlink',
      `${files}/team-folder.ts`,
      'entryAt(home.at(...names))?.isDirectory() === false',
      'false',
    ],
  ],
}
