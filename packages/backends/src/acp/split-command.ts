/** Splits a command line into words. Quotes group words; there are no variables, patterns or other syntax of a shell. */
export function splitCommand(line: string): string[] {
  const words = line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)
  return [...words].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single),
  )
}
