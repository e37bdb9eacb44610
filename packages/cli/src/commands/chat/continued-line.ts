/** A line that ends with a backslash continues on the next one; two backslashes at the end are literal. */
export function continuedLine(line: string): { readonly text: string; readonly goesOn: boolean } {
  const backslashes = /\\*$/.exec(line)?.[0].length ?? 0
  return backslashes % 2 === 1 ? { text: line.slice(0, -1), goesOn: true } : { text: line, goesOn: false }
}
