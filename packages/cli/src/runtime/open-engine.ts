import { CadreError, messageOf } from '@cadre/core'
import { createFileEngine, type FileEngine, type Home, systemClock } from '@cadre/files'
import type { AskPerson } from '../run/ask-person.ts'

/** The engine on the files of a home. What it finds wrong with them is told at once. */
export async function openEngine(
  home: Home,
  tell: (message: string) => void,
  ask?: AskPerson,
): Promise<FileEngine> {
  try {
    return await createFileEngine({
      home,
      clock: systemClock,
      diagnostics: ({ message }) => tell(message),
      ...(ask && { answer: ask }),
    })
  } catch (error) {
    throw unusableHome(home, error)
  }
}

/** What the system says about a folder is a sentence for a person, not a bug; anything else is given back as it is. */
export function unusableHome(home: Home, error: unknown): unknown {
  const isSystemError = error instanceof Error && 'syscall' in error
  if (!isSystemError) return error
  return new CadreError(
    'configuration',
    `the home cannot be used: ${messageOf(error)}; name another with --home or CADRE_HOME`,
    {
      where: home.path,
      cause: error,
    },
  )
}
