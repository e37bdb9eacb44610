import { plainText } from '@cadre/core'
import { maskSecrets } from '@cadre/disk'
import { isSecretName } from './secret-name.ts'
import type { ServerConfig } from './server-config.ts'

/**
 * A server's complete command line or address as configured, with its variables, headers and folder. Masks literal values that are probably
 * secrets. References such as `${TOKEN}` stay visible, because they show where the value comes from.
 */
export function describeServer({ reach }: Pick<ServerConfig, 'reach'>): string {
  const pairs = (label: string, texts: { readonly [name: string]: string }) => {
    const shown = Object.entries(texts).map(
      ([name, value]) => `${name}=${word(isSecretName(name) ? maskLiteral(value) : masked(value))}`,
    )
    return shown.length === 0 ? '' : `, ${label} ${shown.join(' ')}`
  }
  const text =
    reach.kind === 'program'
      ? [
          [masked(reach.command), ...maskedArgs(reach.args)].map(word).join(' '),
          pairs('with', reach.env),
          reach.envFile === undefined ? '' : `, variables from ${word(reach.envFile)}`,
          reach.cwd === undefined ? '' : `, in ${word(reach.cwd)}`,
        ].join('')
      : `${masked(reach.url)}${pairs('with', reach.headers)}`
  // Never shortened, because a person uses it to decide whether to trust the server.
  return plainText(text, Number.POSITIVE_INFINITY)
}

const reference = /(\$\{[^}]*\}|\$[A-Za-z_]\w*)/

/** Keeps references and the scheme in front of them: `Bearer ${TOKEN}`. A default in a reference is a literal too. */
function maskLiteral(value: string): string {
  const parts = value.split(reference)
  return parts
    .map((part, at) => {
      if (at % 2 === 1) return part.replace(/:-[^}]+\}$/, ':-***}')
      return /^[\s:]*(?:(?:Bearer|Basic|token)\s+)?$/i.test(part) ? part : '***'
    })
    .join('')
}

/** `--token abc`, `--header "Cookie: a=b; c=d"`, `-e TOKEN=abc`. */
function maskedArgs(args: readonly string[]): string[] {
  return args.map((arg, at) => {
    const before = args[at - 1] ?? ''
    if (/^--?[\w-]+$/.test(before) && isSecretName(before) && !arg.startsWith('-')) return maskLiteral(arg)
    const [, start = '', name, value = ''] = /^((-{0,2}[\w.-]+)(?:=|:\s*))(.*)$/s.exec(arg) ?? []
    if (name === undefined || !isSecretName(name)) return masked(arg)
    // In `sh -c "TOKEN=1; run"`, the command after the value must stay visible.
    const isWhole = /^(?:-H|--headers?|--env)$/.test(before) || !/[\s;&|<>()`]/.test(value)
    return isWhole ? `${start}${maskLiteral(value)}` : masked(arg)
  })
}

const credentials = /([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s/'"]{1,1000})@/gi
/** `TOKEN=`, `Authorization: `, `"api_key": "`, `?token=`, anywhere in a text. Not the `:` in a reference. */
const assignment = /(?<![\w.$-]|\$\{)([\w.-]{1,100})["']?\s{0,4}[=:]\s{0,4}["']?/g
const assigned = /(?:(?:Bearer|Basic|token)\s{1,4})?(?:\$\{[^}]*\}|[^\s"'&;,}#|<>()`])+/iy

function masked(text: string): string {
  const shown = text.replace(
    credentials,
    (_, scheme: string, user: string) => `${scheme}${maskLiteral(user)}@`,
  )
  // Between the references, so that they stay visible.
  const parts = withoutAssigned(shown).split(reference)
  return parts.map((part, at) => (at % 2 === 1 ? maskedDefault(part) : maskSecrets(part))).join('')
}

function withoutAssigned(text: string): string {
  let shown = ''
  let at = 0
  for (const match of text.matchAll(assignment)) {
    const [start, name = ''] = match
    if (match.index < at || !isSecretName(name)) continue
    assigned.lastIndex = match.index + start.length
    const [value] = assigned.exec(text) ?? ['']
    shown += text.slice(at, match.index) + start + maskLiteral(value)
    at = match.index + start.length + value.length
  }
  return shown + text.slice(at)
}

function maskedDefault(text: string): string {
  return text.replace(/^(\$\{([^:}]*):-)([^}]+)/, (_, start: string, name: string, value: string) =>
    isSecretName(name) ? `${start}***` : `${start}${maskSecrets(value)}`,
  )
}

function word(text: string): string {
  return /^[\w@%+=:,./${}*-]+$/.test(text) ? text : JSON.stringify(text)
}
