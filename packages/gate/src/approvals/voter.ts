import { type ApprovalRequirement, messageOf, type VoteChannel } from '@cadre/core'
import { currentUser, userOf } from '@cadre/disk'
import {
  describeRequirement,
  type Home,
  openPeople,
  type People,
  type Person,
  type Role,
  unknownRequester,
} from '@cadre/home'

/**
 * The person who decides an approval. Cadre identifies them by a login, a signed request or the operating system, never by text that the person
 * can choose.
 */
export interface Voter {
  /** The name under which Cadre counts the person's votes. It is the same in every channel. */
  readonly name: string
  readonly roles: readonly Role[]
  readonly via: VoteChannel
}

export interface Voters {
  /** The system user who runs this process. */
  here(via: VoteChannel): Voter
  /** The system user with this id, such as the owner of a file. */
  ofUser(uid: number, via: VoteChannel): Voter
  /** A Slack user, from a request that Slack has signed. */
  ofSlack(id: string): Voter
  /** A person by the name in a record. */
  named(name: string, via: VoteChannel): Voter
  /** Returns why a person's vote on an approval does not count, as a sentence without a period, or `undefined` if it does. */
  objectionTo(voter: Voter, request: VoteRequest): string | undefined
}

export interface VoteRequest {
  readonly need: ApprovalRequirement
  /** Everyone who influenced the run, from `startersOf`. Needed if the policy excludes them. */
  readonly starters: readonly string[]
}

/** Identifies the voters in a home. A person without an entry in `storage/people.yaml` has no role. */
export function createVoters(home: Home, tell: (message: string) => void): Voters {
  const people = openPeople(home)
  const find = (look: (from: People) => Person | undefined): Person | undefined => {
    try {
      return look(people)
    } catch (error) {
      // An error in the file must not give anyone a role.
      tell(`approvals do not count until you fix this: ${messageOf(error)}`)
      return undefined
    }
  }
  const voter = (person: Person | undefined, otherwise: string, via: VoteChannel): Voter => ({
    name: person?.name ?? otherwise,
    roles: person?.roles ?? [],
    via,
  })
  const ofSystemUser = (user: string, via: VoteChannel) =>
    voter(
      find((from) => from.bySystemUser(user)),
      user,
      via,
    )
  const isSame = (name: string, other: string) =>
    name === other || find((from) => from.byAnyName(other))?.name === name
  return {
    here: (via) => ofSystemUser(currentUser(), via),
    ofUser: (uid, via) => ofSystemUser(userOf(uid), via),
    ofSlack: (id) =>
      voter(
        find((from) => from.bySlackUser(id)),
        `slack:${id}`,
        'slack',
      ),
    named: (name, via) =>
      voter(
        find((from) => from.byAnyName(name)),
        name,
        via,
      ),
    objectionTo({ name, roles }, { need, starters }) {
      if (!roles.some((role) => need.roles.includes(role))) {
        const own = roles.length === 0 ? 'no role in this home' : `only the role ${roles.join(', ')}`
        return `${name} has ${own}, and the policy requires ${describeRequirement(need)}. An administrator can add roles with: cadre people add`
      }
      if (!need.notByStarter) return undefined
      if (starters.includes(unknownRequester))
        return 'the policy excludes people who influenced this run, and Cadre cannot read all files that name them'
      if (starters.some((starter) => isSame(name, starter)))
        return `${name} started or influenced this run, and the policy requires other people's approval`
      return undefined
    },
  }
}
