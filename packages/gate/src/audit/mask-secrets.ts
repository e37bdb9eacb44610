/** How the keys of well-known services look. What stands before the secret part is kept, so that a reader knows what it was. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/(?<![A-Za-z0-9])(gh[pousr]_|github_pat_|glpat-|npm_|hf_|pypi-)[A-Za-z0-9_-]{16,}/g, '$1***'],
  [/(?<![A-Za-z0-9])(sk-(?:ant-|proj-|live-|test-)?|sk_live_|sk_test_|rk_live_)[A-Za-z0-9_-]{16,}/g, '$1***'],
  [/(?<![A-Za-z0-9])(AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])/g, '$1***'],
  [/(?<![A-Za-z0-9])(AIza)[A-Za-z0-9_-]{30,}/g, '$1***'],
  [/(?<![A-Za-z0-9])(xox[abeprs]-|xapp-)[A-Za-z0-9-]{10,}/g, '$1***'],
  [/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, 'eyJ***'],
  [/\b(Bearer|Basic)(\s{1,4})[A-Za-z0-9+/._~-]{8,}=*/gi, '$1$2***'],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@'"]{0,200}:)[^\s/@'"]{1,500}@/gi, '$1***@'],
]

const names =
  'passw(?:or)?d|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|client[-_]?secret|credentials?'
/** `TOKEN=abc`, `--password abc`, `"api_key": "abc"`. A variable in the place of the value is no secret. */
const assignment = new RegExp(
  `((?:^|[\\s"'{,;&?-])[A-Za-z0-9_-]{0,40}(?:${names})["']?(?:\\s{0,4}[=:]\\s{0,4}|\\s{1,4}(?=[^\\s-])))(["']?)([^\\s"'&;,}]{4,})`,
  'gi',
)
const option = /(?:^|\s)--?[A-Za-z0-9_-]*$/

/**
 * Matches every text in which `maskSecrets` could find something, written as JSON or not, and some others. Each shape above needs
 * one of these words; one scan for them is much cheaper than all the shapes.
 */
export const mayHoldSecret =
  /gh[pousr]_|_pat_|glpat-|npm_|hf_|pypi-|sk[-_]|rk_live|AKIA|ASIA|AIza|xox|xapp-|eyJ|bearer|basic|:\/\/|pass|secret|token|key|credential|authorization|-----BEGIN/i

/**
 * The text without the secrets in it: keys and tokens of well-known shapes, what is given to something called a password or a
 * token, and `values`, which are known to be secret. Everything else stays as it is. Takes time in proportion to the text.
 */
export function maskSecrets(text: string, values: readonly string[] = []): string {
  let masked = maskValues(withoutPrivateKeys(text), values)
  for (const [shape, instead] of shapes) masked = masked.replace(shape, instead)
  return masked.replace(assignment, (all: string, before: string, quote: string, value: string) => {
    const isWritten = /[=:]\s*$/.test(before) || option.test(before.trimEnd())
    return isWritten && !/^(\$|\*\*\*|<|%|\{)/.test(value) ? `${before}${quote}***` : all
  })
}

/** Only what is known to be secret: what a program printed is to be understood otherwise. */
export function maskValues(text: string, values: readonly string[]): string {
  let masked = text
  for (const value of values) masked = masked.replaceAll(value, '***')
  return masked
}

/** What stands between the marks of a private key; all that follows, where its end is missing. */
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

/** Values of the environment that are secret by their names, the longest first. Short ones would mask words that mean nothing. */
export function secretValues(environment: NodeJS.ProcessEnv): readonly string[] {
  return Object.entries(environment)
    .filter(
      ([name, value]) =>
        secretName.test(name) && name !== 'PWD' && name !== 'OLDPWD' && (value ?? '').length >= 8,
    )
    .map(([, value]) => value as string)
    .sort((a, b) => b.length - a.length)
}
