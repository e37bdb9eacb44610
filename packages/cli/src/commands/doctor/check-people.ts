import { messageOf } from '@cadre/core'
import { describeRequirement, type Home, openPeople, type Person, type Policy } from '@cadre/home'
import { type Check, fail, ok, warn } from './check.ts'

/** Checks that enough people exist for the approvals that the policy requires. Says nothing if nobody uses roles. */
export function checkPeople(home: Home, { approvals }: Pick<Policy, 'approvals'>): Check[] {
  const people = openPeople(home)
  let all: readonly Person[]
  try {
    if (approvals.length === 0 && !people.areConfigured()) return []
    all = people.list()
  } catch (error) {
    return [fail('people', messageOf(error), 'Until this is fixed, nobody has a role.')]
  }
  const lacking = approvals.filter((rule) => {
    const count = all.filter((person) => person.roles.some((role) => rule.roles.includes(role))).length
    // The person who starts a run may be one of them.
    return count < rule.quorum + (rule.notByStarter ? 1 : 0)
  })
  if (lacking.length === 0) return [ok('people', `${all.map(({ name }) => name).join(', ')}`)]
  return lacking.map((rule) =>
    warn(
      'people',
      `${rule.place} requires ${describeRequirement(rule)}, and this home has too few people`,
      'Add people with: cadre people add NAME --role ROLE',
    ),
  )
}
