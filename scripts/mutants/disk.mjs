const disk = 'packages/disk/src'
const masks = [`${disk}/text/mask-secrets.test.ts`]
const workspaces = ['packages/workspaces/src/create-workspaces.test.ts']

/** Files, git and secrets. */
export const diskMutants = {
  tests: masks,
  rows: [
    [
      'a private key without its end is shown',
      `${disk}/text/mask-secrets.ts`,
      'at = end < 0 ? text.length : end',
      'at = end < 0 ? from : end',
    ],
    [
      'the rest of a longer secret is shown',
      `${disk}/text/mask-secrets.ts`,
      '.sort((a, b) => b.length - a.length)',
      '',
    ],
    [
      'the quick check misses the key of a service',
      `${disk}/text/mask-secrets.ts`,
      '|AKIA|ASIA|AIza|',
      '|AKIA|ASIA|',
    ],
    [
      'a token with a slash in an address is shown',
      `${disk}/text/mask-userinfo.ts`,
      '.replace(/[^\\s\'"]+/g, maskWord)',
      '',
      [`${disk}/text/mask-userinfo.test.ts`],
    ],
    [
      'a file of a folder is a link to any file',
      `${disk}/files/read-inside-folder.ts`,
      'if (!isInside(realpathSync(folder), real))',
      'if (false)',
      ['packages/mcp/src/config/read-servers.test.ts'],
    ],
    [
      'a link to a file that does not exist is not followed',
      `${disk}/files/files.ts`,
      'if (target === undefined) return direct',
      'return direct',
      [`${disk}/files/real-path.test.ts`],
    ],
    [
      'a message is appended to the target of a link',
      `${disk}/files/files.ts`,
      'ways[way] | O_NOFOLLOW | O_NONBLOCK',
      'ways[way] | O_NONBLOCK',
      ['packages/home/src/inbox/append-inbox.test.ts'],
    ],
    [
      'a process with a reused id owns a session',
      `${disk}/system/process-identity.ts`,
      'return other.start === undefined || other.start === start',
      'return true',
      ['packages/journal/src/engine/leases.test.ts'],
    ],
    [
      'git runs the hooks of a repository',
      `${disk}/git/git.ts`,
      "  'core.hooksPath=/dev/null',\n",
      '',
      workspaces,
    ],
    [
      'git runs the filters of a repository',
      `${disk}/git/safe-git-settings.ts`,
      "if (key === '') return []",
      'return []',
      workspaces,
    ],
    [
      'git runs a program that an address names',
      `${disk}/git/remote-access.ts`,
      "'protocol.allow=never'",
      "'protocol.allow=always'",
      [`${disk}/git/git.test.ts`],
    ],
    [
      'the lock of a running git is removed',
      `${disk}/git/stale-lock.ts`,
      ' && isHeld !== true) {',
      ') {',
      ['packages/home/src/history/home-git.test.ts'],
    ],
    [
      'a changed setting changes other settings',
      `${disk}/yaml/set-setting.ts`,
      '!isDeepStrictEqual(after.value, wanted)',
      'false',
      [`${disk}/yaml/set-setting.test.ts`],
    ],
  ],
}
