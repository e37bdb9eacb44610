import { userOf } from '@cadre/disk'
import { type ApprovalRecord, type StartersOptions, startersOf, type Voter, type Voters } from '@cadre/gate'
import type { Caller } from './caller.ts'

/**
 * The person who votes, for approvals that need several people. A token, or a login from a token, identifies a person. A login from
 * `cadre open` belongs to the system user who wrote it, whatever name it contains. If the system has no user ids, all logins belong to the user of
 * this process. A voter has at most the login's roles.
 */
export function voterOf(caller: Caller, voters: Voters): Voter {
  const voter =
    caller.tokenHash !== undefined
      ? voters.named(caller.by, caller.via === 'token' ? 'api' : 'page')
      : caller.uid === undefined
        ? voters.here('page')
        : voters.ofUser(caller.uid, 'page')
  return { ...voter, roles: voter.roles.filter((role) => caller.roles.includes(role)) }
}

/** Explains, in a sentence, why the caller's vote on an approval would not count. `undefined` if it would count, or if one person decides alone. */
export async function voteObjection(
  { need, session }: Pick<ApprovalRecord, 'need' | 'session'>,
  caller: Caller,
  { voters, ...options }: StartersOptions & { readonly voters: Voters },
): Promise<string | undefined> {
  if (need === undefined) return undefined
  // Reads the journals of the whole tree, so this runs only if the policy requires it.
  const starters = need.notByStarter ? await startersOf(session, options) : []
  const why = voters.objectionTo(voterOf(caller, voters), { need, starters })
  return why && `Your vote does not count: ${why}.`
}

/** The name of the person who starts a run. */
export function starterOf({ by, uid }: Pick<Caller, 'by' | 'uid'>): string {
  return uid === undefined ? by : userOf(uid)
}
