/** The formats of keys of well-known services. The prefix before the secret part is kept, so that a reader can tell what it was. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/(?<![A-Za-z0-9])(gh[pousr]_|github_pat_|glpat-|npm_|hf_|pypi-)[A-Za-z0-9_-]{16,}/g, '$1***'],
  [/(?<![A-Za-z0-9])(sk-(?:ant-|proj-|live-|test-)?|sk_live_|sk_test_|rk_live_)[A-Za-z0-9_-]{16,}/g, '$1***'],
  [/(?<![A-Za-z0-9])(cadre_)[A-Za-z0-9_-]{40,}/g, '$1***'],
  [/(?<![A-Za-z0-9])(AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])/g, '$1***'],
  [/(?<![A-Za-z0-9])(AIza)[A-Za-z0-9_-]{30,}/g, '$1***'],
  [/(?<![A-Za-z0-9])(xox[abeprs]-|xapp-)[A-Za-z0-9-]{10,}/g, '$1***'],
  [/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, 'eyJ***'],
  [/\b(Bearer|Basic)(\s{1,4})[A-Za-z0-9+/._~-]{8,}=*/gi, '$1$2***'],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@'"]{0,200}:)[^\s/@'"]{1,500}@/gi, '$1***@'],
]

const names =
  'passw(?:or)?d|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|client[-_]?secret|credentials?'
/** `TOKEN=abc`, `--password abc`, `"api_key": "abc"`. A variable reference as the value is not a secret. */
const assignment = new RegExp(
  `((?:^|[\\s"'{,;&?-])[A-Za-z0-9_-]{0,40}(?:${names})\\\\{0,7}["']?(?:\\s{0,4}[=:]\\s{0,4}|\\s{1,4}(?=[^\\s-])))(\\\\{0,7}["']?)([^\\s"'&;,}]{4,})`,
  'gi',
)
const option = /(?:^|\s)--?[A-Za-z0-9_-]*$/

/**
 * Matches every text in which `maskSecrets` could find something, as JSON or not, and some others. Each format above
 * contains one of these words, and one scan for them is much cheaper than all formats.
 */
export const mayContainSecret =
  /gh[pousr]_|cadre_|_pat_|glpat-|npm_|hf_|pypi-|sk[-_]|rk_live|AKIA|ASIA|AIza|xox|xapp-|eyJ|bearer|basic|:\/\/|pass|secret|token|key|credential|authorization|-----BEGIN/i

/**
 * Returns the text without secrets: keys and tokens in well-known formats, values assigned to something named like a
 * password or token, and `values`, which are known secrets. Everything else is unchanged. Takes linear time.
 */
export function maskSecrets(text: string, values: readonly string[] = []): string {
  let masked = maskValues(withoutPrivateKeys(text), values)
  for (const [shape, instead] of shapes) masked = masked.replace(shape, instead)
  return masked.replace(assignment, (all: string, before: string, quote: string, value: string) => {
    const isWritten = /[=:]\s*$/.test(before) || option.test(before.trimEnd())
    return isWritten && !/^(\$|\*\*\*|<|%|\{)/.test(value)
      ? `${before}${quote}***${escapesAtEnd(value)}`
      : all
  })
}

/** In the JSON of a call inside another text, quotes are escaped. The backslash belongs to the quote, not to the value. */
function escapesAtEnd(value: string): string {
  let from = value.length
  while (value[from - 1] === '\\') from -= 1
  return value.slice(from)
}

/** Masks only known secrets, because program output must stay readable. */
export function maskValues(text: string, values: readonly string[]): string {
  let masked = text
  for (const value of values) masked = masked.replaceAll(value, '***')
  return masked
}

/** Removes the text between the markers of a private key, or everything after the first marker if the end is missing. */
function withoutPrivateKeys(text: string): string {
  const begin = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/g
  let shown = ''
  let at = 0
  for (let mark = begin.exec(text); mark !== null; mark = begin.exec(text)) {
    const from = mark.index + mark[0].length
    const end = text.indexOf('-----END', from)
    shown += `${text.slice(at, from)}***`
    at = end < 0 ? text.length : end
    begin.lastIndex = at
  }
  return shown + text.slice(at)
}

const secretName =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|KEY|CREDENTIALS?|PAT|PWD)$|_(?:TOKEN|SECRET|PASSWORD|API_KEY)_/i

/**
 * Returns environment values whose names mark them as secret, longest first. Short values are skipped, because they would
 * mask ordinary words.
 */
export function secretValues(environment: NodeJS.ProcessEnv): readonly string[] {
  return Object.entries(environment)
    .filter(
      ([name, value]) =>
        secretName.test(name) && name !== 'PWD' && name !== 'OLDPWD' && (value ?? '').length >= 8,
    )
    .map(([, value]) => value as string)
    .sort((a, b) => b.length - a.length)
}
