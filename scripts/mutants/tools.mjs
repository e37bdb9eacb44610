const tools = 'packages/tools/src'
const edits = [`${tools}/files/edit-file.test.ts`]
const replaced = [`${tools}/files/replace-file.test.ts`]
const web = [`${tools}/web/web-fetch.test.ts`]

/** Built-in tools: where they reach, and what they overwrite. */
export const toolMutants = {
  tests: [`${tools}/files/confine-path.test.ts`],
  rows: [
    [
      'a path outside the workspace is used',
      `${tools}/files/confine-path.ts`,
      "if (placed.kind !== 'inside') throw",
      "if (placed.kind !== 'inside' && placed.kind !== 'outside') throw",
    ],
    [
      'an additional protected path is written',
      `${tools}/files/confine-path.ts`,
      'if (more !== undefined) throw',
      'if (false) throw',
    ],
    [
      'a file is read through a link that was created after the check',
      `${tools}/files/open-file.ts`,
      'if (!(await isAt(handle, stats, file.real))) throw changedError(file)',
      '',
    ],
    [
      'a folder is listed through a link that was created after the check',
      `${tools}/search/with-pinned-folder.ts`,
      'if (opened !== folder) throw swappedError()',
      '',
    ],
    [
      'a changed script can no longer be run',
      `${tools}/files/replace-file.ts`,
      'await handle.chmod(before.mode & 0o777)',
      '',
      edits,
    ],
    [
      'a change by another program is overwritten',
      `${tools}/files/replace-file.ts`,
      'requireExpected(await existing(target, file), replacement.expected, file)',
      '',
      replaced,
    ],
    [
      'an edit is not repeated on the content of another program',
      `${tools}/files/edit-file.ts`,
      'if (!(error instanceof ConcurrentChange) || attempt === maxAttempts) throw error',
      'throw error',
      edits,
    ],
    [
      'parallel edits of one file are mixed',
      `${tools}/files/serialize-writes.ts`,
      'await Promise.all(before)',
      '',
      edits,
    ],
    [
      'an edit with several possible places changes one of them',
      `${tools}/files/apply-edits.ts`,
      'if (several && edit.all !== true) {',
      'if (false) {',
      edits,
    ],
    [
      'an edit that may have been made is said to be known',
      `${tools}/files/were-edits-made.ts`,
      "if (already === notYet) return 'unknown'",
      '',
      edits,
    ],
    [
      'half of a change of several files stays',
      `${tools}/files/edit-file.ts`,
      'await undo(made, attempt, error)\n',
      '',
      [`${tools}/apply-patch.test.ts`],
    ],
    [
      'an agent reaches this machine by its address',
      `${tools}/web/guarded-request.ts`,
      'if (!allowed && isIP(host) !== 0 && isPrivateAddress(host)) throw refused(url)',
      '',
      web,
    ],
    [
      'an agent reaches this machine by a name',
      `${tools}/web/guarded-request.ts`,
      'lookup: allowed ? undefined : publicLookup(url)',
      'lookup: undefined',
      web,
    ],
    [
      'a redirect leads to a host that nobody has judged',
      `${tools}/web/follow-redirects.ts`,
      'if (!isSameHost(url, next))',
      'if (false)',
      web,
    ],
    [
      'a module of tools runs before a person trusts it',
      `${tools}/custom/load-custom-tools.ts`,
      'if (!(await trusted(file))) {',
      'if (false) {',
      [`${tools}/custom-tools.test.ts`],
    ],
  ],
}
