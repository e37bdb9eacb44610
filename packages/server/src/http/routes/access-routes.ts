import { isUnsandboxedCommandRunning } from '@cadre/home'
import { withIncluded } from '../guard/caller.ts'
import { homeFlagOf } from '../home-place.ts'
import type { Routes } from '../http-route.ts'
import { HttpProblem } from '../problem.ts'
import {
  anyObject,
  bodySchema,
  booleanSchema,
  listSchema,
  objectSchema,
  schemaRef,
  textSchema,
} from '../schemas.ts'

export const accessRoutes: Routes<'login' | 'logout' | 'describe' | 'me'> = {
  login: {
    operation: 'login',
    role: 'public',
    summary: 'Log in with the secret from "cadre open", or with a token',
    description:
      'A secret is valid for 60 seconds and can be used once. Instead of a secret, send a token as "Authorization: Bearer". The answer sets a cookie and contains a key; send both with every request. A login with a token ends when the person is removed.',
    maxBytes: 4096,
    body: bodySchema({ 'secret?': { type: 'string', minLength: 1, maxLength: 200 } }),
    schema: objectSchema({ key: textSchema, by: textSchema, roles: listSchema(schemaRef('Role')) }),
    answer({ body: { secret }, caller }, { home, takeLogin, credentials }) {
      // A command without a sandbox could have written the login, or could have read the token.
      if (isUnsandboxedCommandRunning(home))
        throw new HttpProblem(
          423,
          'A command is running without a sandbox and could have created this login. Retry when it has ended.',
          { code: 'owned' },
        )
      if ((secret === undefined) === (caller.tokenHash === undefined))
        throw new HttpProblem(
          400,
          'Send either the secret from "cadre open", or a token as "Authorization: Bearer".',
          { code: 'usage' },
        )
      if (secret === undefined) {
        const { by, roles, tokenHash } = caller
        const { key, cookie } = credentials.create({
          by,
          roles,
          ...(tokenHash !== undefined && { tokenHash }),
        })
        return { body: { key, by, roles }, cookie }
      }
      const grant = takeLogin(secret)
      if (grant === undefined)
        throw new HttpProblem(
          401,
          'This link was already used or is older than 60 seconds. Run "cadre open" again.',
        )
      // Other users of this machine can see the link in the browser's arguments. The link no longer works, whatever the result.
      if (isOther(caller.uid, grant.uid))
        throw new HttpProblem(
          403,
          'Another user of this machine created this link. Run "cadre open" yourself, or use a token.',
        )
      const { key, cookie } = credentials.create(grant)
      return { body: { key, by: grant.by, roles: withIncluded(grant.roles) }, cookie }
    },
  },
  logout: {
    operation: 'logout',
    role: 'viewer',
    summary: "Log out, and end all of this login's streams",
    schema: anyObject,
    answer({ caller }, { credentials, hub }) {
      if (caller.via === 'token')
        throw new HttpProblem(
          409,
          'This request uses a token, not a login. To remove the token, run "cadre people remove".',
        )
      hub.close(caller.login)
      return { body: {}, cookie: credentials.remove(caller.login) }
    },
  },
  describe: {
    operation: 'describe',
    role: 'viewer',
    summary: 'Get this API as an OpenAPI 3.1 document',
    schema: anyObject,
    answer: (_, context) => ({ body: context.describe() }),
  },
  me: {
    operation: 'me',
    role: 'viewer',
    summary: 'Get your name and your roles',
    schema: objectSchema({
      by: textSchema,
      roles: listSchema(schemaRef('Role')),
      home: textSchema,
      'homeFlag?': textSchema,
      version: textSchema,
      daemon: booleanSchema,
      readOnly: booleanSchema,
      sandbox: booleanSchema,
    }),
    answer: async ({ caller }, { home, environment, version, operate, readOnly, sandbox }) => {
      const homeFlag = homeFlagOf(home, environment)
      return {
        body: {
          by: caller.by,
          roles: caller.roles,
          home: home.path,
          ...(homeFlag !== undefined && { homeFlag }),
          version,
          daemon: operate !== undefined,
          readOnly,
          sandbox: await sandbox(),
        },
      }
    },
  },
}

/** Root may use every link: it has all permissions anyway, and forwards connections for other users. */
function isOther(peer: number | undefined, writer: number | undefined): boolean {
  return peer !== undefined && peer !== 0 && writer !== undefined && peer !== writer
}
