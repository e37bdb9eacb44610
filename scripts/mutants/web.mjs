const web = 'packages/web/src'
const api = 'packages/api/src'
const client = [`${api}/create-client.test.ts`]

/** The page, which shows text of agents, and the client of the API. */
export const webMutants = {
  tests: client,
  rows: [
    [
      'a link in the text of an agent runs a script',
      `${web}/parts/markdown/markdown-nodes.ts`,
      "return protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:' ? href : undefined",
      'return protocol === undefined ? undefined : href',
      [`${web}/parts/markdown/markdown-nodes.test.ts`],
    ],
    [
      'a format character that fonts leave out is not shown',
      `${web}/parts/show-hidden.ts`,
      '[\\p{Cc}\\p{Cf}\\p{Zl}',
      '[\\p{Cc}\\p{Zl}',
      [`${web}/parts/show-hidden.test.ts`],
    ],
    [
      'a word of an agent runs as a command in the shell of a person',
      `${web}/parts/shell-word.ts`,
      ".replaceAll(\"'\", `'\\\\''`)",
      '',
      [`${web}/parts/shell-word.test.ts`],
    ],
    [
      'a click decides an approval that has just appeared',
      `${web}/parts/approval/accidental-decision-guard.ts`,
      'shown = id\n      since = now()',
      'shown = id',
      [`${web}/parts/approval/accidental-decision-guard.test.ts`],
    ],
    [
      'one click approves an action with a high risk',
      `${web}/parts/approval/accidental-decision-guard.ts`,
      "if (risk !== 'HIGH') return 'go'",
      "return 'go'",
      [`${web}/parts/approval/accidental-decision-guard.test.ts`],
    ],
    [
      'an older event opens a decided approval again',
      `${web}/store/pending-approvals.ts`,
      "known.status !== 'pending' && approval.status === 'pending') return",
      'false) return',
      [`${web}/store/create-store.test.ts`],
    ],
    [
      'an older row replaces a newer one',
      `${web}/store/session-rows.ts`,
      'if (known !== undefined && row.seq <= known.seq) return\n',
      '',
      [`${web}/store/session-rows.test.ts`],
    ],
    [
      'a page that was paused misses events',
      `${web}/store/follow-stream.ts`,
      'last = part.id ?? last',
      '',
      [`${web}/store/follow-stream.test.ts`],
    ],
    [
      'text of an agent ends the data of an exported file',
      'packages/server/src/http/export/export-html.ts',
      '/[<>&\\u2028\\u2029]/g,\n    (character) => `\\\\u',
      '/[>&\\u2028\\u2029]/g,\n    (character) => `\\\\u',
      ['packages/server/src/http/export/export-html.test.ts'],
    ],
    [
      'an exported file contains secrets',
      'packages/server/src/http/export/export-run.ts',
      'return maskedJson(run as unknown as Json, secretsIn(env)) as',
      'return (secretsIn(env), run as unknown as Json) as',
      ['packages/server/src/http/export/export-run.test.ts'],
    ],
    [
      'a lost connection repeats or misses events',
      `${api}/follow-events.ts`,
      "if (id !== undefined && id !== '') after = id",
      '',
    ],
    [
      'a silent connection is kept forever',
      `${api}/follow-events.ts`,
      'watchdog = setTimeout(end, silenceMs)',
      '',
    ],
    [
      'a session id leads to another address of the server',
      `${api}/request-address.ts`,
      "if (value === '.' || value === '..')",
      'if (false)',
    ],
    [
      'credentials follow a redirect to another server',
      `${api}/create-client.ts`,
      "redirect: 'error'",
      "redirect: 'follow'",
    ],
  ],
}
