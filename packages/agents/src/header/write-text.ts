/** Writes a key with a text that YAML reads back exactly. Returns its lines. */
export function writeText(key: string, text: string): string[] {
  const lines = text.split('\n')
  const isSafe = /^[^\p{Cc}\u2028\u2029\ufeff]*$/u
  if (!lines.every((line) => isSafe.test(line))) return [`${key}: ${JSON.stringify(text)}`]
  if (lines.length === 1) return [`${key}: ${quoteText(text)}`]
  if (/^\s|\s$/.test(text) || lines.some((line) => /\s$/.test(line)))
    return [`${key}: ${JSON.stringify(text)}`]
  return [`${key}: |-`, ...lines.map((line) => (line === '' ? '' : `  ${line}`))]
}

/** Quotes a one-line text with the quotes that need the fewest escapes. */
export function quoteText(text: string): string {
  if (text.includes("'") && !/["\\]/.test(text)) return `"${text}"`
  return `'${text.replaceAll("'", "''")}'`
}
