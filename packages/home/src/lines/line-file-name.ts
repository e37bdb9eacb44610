import { CadreError } from '@cadre/core'

const plain = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/
const ending = '.jsonl'

/** Checks the name of a file of lines, without extension. It becomes part of a path, so it must not point elsewhere. */
export function lineFileName(name: string): string {
  const bare = name.endsWith(ending) ? name.slice(0, -ending.length) : name
  if (plain.test(bare)) return bare
  throw new CadreError(
    'usage',
    `${JSON.stringify(name.slice(0, 120))} is not a valid name for a .jsonl file. Use letters, digits, hyphens, underscores and dots.`,
  )
}

/** Returns the name without extension, if this is a file of lines. */
export function lineFileBaseName(file: string): string | undefined {
  const bare = file.endsWith(ending) ? file.slice(0, -ending.length) : ''
  return plain.test(bare) ? bare : undefined
}
