import { requirePerson } from '@cadre/gate'
import { openPeople } from '@cadre/home'
import { requireTrustedHome } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import type { PeopleFlags } from './people-list.ts'

/** `cadre people remove`. */
export async function removePerson(io: Io, flags: PeopleFlags, name: string): Promise<ExitCode> {
  const home = await requireTrustedHome(io, flags)
  requirePerson(home, io.env)
  const people = openPeople(home)
  const person = await people.remove(name)
  const isLast = !people.areConfigured()
  if (flags.json) io.stdout.write(`${JSON.stringify({ type: 'removed', name: person.name })}\n`)
  else
    io.stdout.write(
      `${cleanLine(`Removed ${person.name}.`)}${isLast ? ' Nobody is left, so the owner of the home directory has all roles again.' : ''}\n`,
    )
  return exitCodes.done
}
