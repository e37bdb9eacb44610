import type { ServerAddress, ServerProgram } from './server-config.ts'

const secretName =
  /token|secret|passw(?:or)?d|passphrase|credential|api[-_]?key|access[-_]?key|private[-_]?key|auth(?!or(?!i))|bearer|cookie|(?:^|[-_])(?:pat|pass|pwd)(?:$|[-_])|[-_]key$/i

/** Whether the value of a variable, header or option with this name is probably a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** Shorter values would mask ordinary words. */
const shortest = 6

/** The secrets of a server for masking, longest first: these values, and those of variables and headers with a secret name. */
export function secretsIn(reach: ServerProgram | ServerAddress, values: Iterable<string> = []): string[] {
  return sortLongestFirst([...values, ...secretTexts(reach.kind === 'program' ? reach.env : reach.headers)])
}

export function secretTexts(texts: { readonly [name: string]: string }): string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    isSecretName(name) ? [text.replace(/^(?:Bearer|Basic|token)\s+/i, '')] : [],
  )
}

export function sortLongestFirst(values: readonly string[]): string[] {
  return [...new Set(values)].filter((value) => value.length >= shortest).sort((a, b) => b.length - a.length)
}
