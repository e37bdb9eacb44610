const http = 'packages/server/src/http'
const table = [`${http}/security-table.test.ts`]
const logins = [`${http}/token-login.test.ts`]

/** The checks of the page's server. */
export const httpMutants = {
  tests: table,
  rows: [
    [
      'a page of another origin may use the server',
      `${http}/guard/reject-foreign-request.ts`,
      'if (!isOwn || !(site',
      'if (!(site',
    ],
    [
      'a foreign host name may stand for this server',
      `${http}/guard/own-hosts.ts`,
      'name !== undefined && names.has(name.toLowerCase())',
      'name !== undefined',
    ],
    [
      'a cookie alone is a login',
      `${http}/guard/credentials.ts`,
      'timingSafeEqual(Buffer.from(hashOf(key)), found.key) ? current(found.caller) : undefined',
      'current(found.caller)',
    ],
    ['a login never ends', `${http}/guard/credentials.ts`, ' || found.until <= now()) return', ') return'],
    [
      'a removed person stays logged in',
      `${http}/guard/credentials.ts`,
      'return person && { ...caller, by: person.name, roles: withIncluded(person.roles) }',
      'return { ...caller, ...(person && { by: person.name, roles: withIncluded(person.roles) }) }',
      logins,
    ],
    [
      'a login from "cadre open" works through a proxy',
      `${http}/site.ts`,
      'caller !== undefined && (caller.tokenHash !== undefined || hosts.isLocal(headers.host))',
      'caller !== undefined',
      logins,
    ],
    [
      'a link works more than once',
      `${http}/guard/login-file.ts`,
      "unlinkSync(file)\n  } catch (error) {\n    if (hasCode(error, 'ENOENT', 'ENOTDIR'))",
      "} catch (error) {\n    if (hasCode(error, 'ENOENT', 'ENOTDIR'))",
    ],
    [
      'a viewer may change things',
      `${http}/guard/caller.ts`,
      'return roles.some((role) => included[role].includes(needed))',
      'return roles.length > 0',
      [`${http}/routes/people-routes.test.ts`, ...logins],
    ],
    [
      'the page serves files that its manifest does not list',
      `${http}/static-files.ts`,
      'if (names.has(name)) return read(name)',
      "if (path.posix.extname(name) !== '') return read(name)",
      [`${http}/site.test.ts`],
    ],
    [
      'a decision counts for an action that has changed',
      `${http}/routes/decide-approval.ts`,
      'if (action !== record.action)',
      'if (false)',
      [`${http}/open-page.test.ts`],
    ],
    [
      'a decision counts while a command without a sandbox could send it',
      `${http}/routes/decide-approval.ts`,
      'if (isUnsandboxedCommandRunning(home))',
      'if (false)',
      ['packages/server/src/daemon/page-duty.test.ts'],
    ],
    [
      'a change of a task overwrites a file that was saved meanwhile',
      `${http}/routes/change-task-if-match.ts`,
      'return found === wanted',
      'return true',
      [`${http}/routes/task-routes.test.ts`],
    ],
  ],
}
