import type { Confine } from '@cadre/backends'
import { encloseProgram, type Guard, type Sandbox } from '@cadre/gate'
import type { Home } from '@cadre/home'

export interface ConfineOptions {
  readonly home: Home
  readonly guard: Pick<Guard, 'places' | 'unreadableIn' | 'unwritableIn'>
  readonly sandbox: Promise<Sandbox>
  readonly userHome: string
  readonly tell: ((message: string) => void) | undefined
}

/** Starts agent programs in the sandbox of commands. */
export function confineIn({ home, guard, sandbox, userHome, tell }: ConfineOptions): Confine {
  const { places, unreadableIn, unwritableIn } = guard
  return async ({ cwd: _, ...program }) =>
    encloseProgram(program, {
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
    })
}
