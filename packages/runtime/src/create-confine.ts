import type { Confine } from '@cadre/backends'
import { type Guard, type ProtectedChange, type Sandbox, sandboxProgram } from '@cadre/gate'
import type { Home, Policy } from '@cadre/home'

export interface ConfineOptions {
  readonly home: Home
  readonly guard: Pick<Guard, 'places' | 'unreadableIn' | 'unwritableIn'>
  readonly sandbox: Promise<Sandbox>
  readonly userHome: string
  readonly policy: Pick<Policy, 'effects'>
  readonly tell: ((message: string) => void) | undefined
}

/** Starts agent programs in the sandbox of commands. */
export function createConfine({ home, guard, sandbox, userHome, policy, tell }: ConfineOptions): Confine {
  const { places, unreadableIn, unwritableIn } = guard
  return async ({ cwd: _, ...program }) => {
    const denied = (['execute', 'outbound'] as const).find((effect) => policy.effects[effect] === 'deny')
    if (denied !== undefined)
      return {
        kind: 'refused',
        firm: true,
        reason: `a policy denies effects.${denied}, and no sandbox can enforce that`,
      }
    const readOnly = program.readOnly || policy.effects.write === 'deny'
    const enclosed = await sandboxProgram(
      { ...program, readOnly },
      {
        sandbox: await sandbox,
        places,
        home,
        userHome,
        unreadableIn,
        unwritableIn,
        changed: (changes) => {
          for (const change of changes) tell?.(describeChange(change))
        },
      },
    )
    // Without a sandbox, nothing would keep it from writing.
    return enclosed.kind === 'refused' && readOnly ? { ...enclosed, firm: true } : enclosed
  }
}

/** Does not say who did it: a person may have, while the program ran. */
function describeChange({ path, what, undone, copies = [] }: ProtectedChange): string {
  const [first, ...more] = copies
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  const kept =
    first === undefined
      ? ''
      : ` If you made this change yourself, restore it from the copy: ${first}${others}`
  const did = undone ? 'Cadre undid this change.' : 'Cadre could not undo this change. Inspect the path.'
  return `the protected path ${path} was ${what} while an agent program ran. ${did}${kept}`
}
