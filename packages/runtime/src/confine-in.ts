import type { Confine } from '@cadre/backends'
import { encloseProgram, type Guard, type Sandbox } from '@cadre/gate'
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
export function confineIn({ home, guard, sandbox, userHome, policy, tell }: ConfineOptions): Confine {
  const { places, unreadableIn, unwritableIn } = guard
  return async ({ cwd: _, ...program }) => {
    const denied = (['execute', 'outbound'] as const).find((effect) => policy.effects[effect] === 'deny')
    if (denied !== undefined)
      return {
        kind: 'refused',
        firm: true,
        reason: `a policy denies effects.${denied}, but no sandbox can keep it from that`,
      }
    const readOnly = program.readOnly || policy.effects.write === 'deny'
    const enclosed = await encloseProgram(
      { ...program, readOnly },
      {
        sandbox: await sandbox,
        places,
        home,
        userHome,
        unreadableIn,
        unwritableIn,
        changed: (changes) => {
          for (const { path, what, undone } of changes)
            tell?.(
              `an agent program ${what} the protected path ${path}. ${undone ? 'Cadre undid it.' : 'Cadre could not undo it: check it.'}`,
            )
        },
      },
    )
    // Without a sandbox, nothing would keep it from writing.
    return enclosed.kind === 'refused' && readOnly ? { ...enclosed, firm: true } : enclosed
  }
}
