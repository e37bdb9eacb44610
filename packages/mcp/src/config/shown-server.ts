import { plainText } from '../tools/plain-text.ts'
import type { ServerConfig } from './server-config.ts'

const secretName = /token|secret|password|passwd|credential|api[-_]?key|access[-_]?key|auth|bearer|cookie/i

/**
 * The whole command line or address of a server as configured, with its variables, headers and folder. A literal value that is probably a
 * secret is masked: references such as `${TOKEN}` say where the value comes from.
 */
export function shownServer({ reach }: Pick<ServerConfig, 'reach'>): string {
  const pairs = (label: string, texts: { readonly [name: string]: string }) => {
    const shown = Object.entries(texts).map(([name, value]) => `${name}=${word(masked(name, value))}`)
    return shown.length === 0 ? '' : `, ${label} ${shown.join(' ')}`
  }
  const text =
    reach.kind === 'program'
      ? [
          [reach.command, ...maskedArgs(reach.args)].map(word).join(' '),
          pairs('with', reach.env),
          reach.envFile === undefined ? '' : `, variables from ${word(reach.envFile)}`,
          reach.cwd === undefined ? '' : `, in ${word(reach.cwd)}`,
        ].join('')
      : `${maskedUrl(reach.url)}${pairs('with', reach.headers)}`
  // Never cut: a person decides by it whether to trust the server.
  return plainText(text, Number.POSITIVE_INFINITY)
}

function masked(name: string, value: string): string {
  return secretName.test(name) ? maskLiteral(value) : value
}

/** Keeps references and the scheme in front of them: `Bearer ${TOKEN}`. */
function maskLiteral(value: string): string {
  const parts = value.split(/(\$\{[^}]*\}|\$[A-Za-z_]\w*)/)
  return parts
    .map((part, at) => (at % 2 === 1 || /^\s*(?:(?:Bearer|Basic|token)\s+)?$/i.test(part) ? part : '***'))
    .join('')
}

/** `--token abc`, `--token=abc`. */
function maskedArgs(args: readonly string[]): string[] {
  return args.map((arg, at) => {
    const [, option, value] = /^(--?[\w-]+)=(.*)$/s.exec(arg) ?? []
    if (option !== undefined && value !== undefined) return `${option}=${masked(option, value)}`
    const before = args[at - 1] ?? ''
    return /^--?[\w-]+$/.test(before) && secretName.test(before) && !arg.startsWith('-')
      ? maskLiteral(arg)
      : arg
  })
}

function maskedUrl(url: string): string {
  return url
    .replace(/^(https?:\/\/)[^/@]+@/i, '$1***@')
    .replace(/([?&]([^=&#]+)=)([^&#]*)/g, (whole, start: string, name: string, value: string) =>
      secretName.test(name) ? `${start}${maskLiteral(value)}` : whole,
    )
}

function word(text: string): string {
  return /^[\w@%+=:,./${}*-]+$/.test(text) ? text : JSON.stringify(text)
}
