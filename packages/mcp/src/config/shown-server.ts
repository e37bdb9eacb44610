import { plainText } from '../tools/plain-text.ts'
import type { ServerConfig } from './server-config.ts'

/** The whole command line or address of a server as configured, with the names and references that it gets. */
export function shownServer({ reach }: Pick<ServerConfig, 'reach'>): string {
  const pairs = (label: string, texts: { readonly [name: string]: string }) => {
    const shown = Object.entries(texts).map(([name, value]) => `${name}=${word(value)}`)
    return shown.length === 0 ? '' : `, ${label} ${shown.join(' ')}`
  }
  const text =
    reach.kind === 'program'
      ? [
          [reach.command, ...reach.args].map(word).join(' '),
          pairs('with', reach.env),
          reach.envFile === undefined ? '' : `, variables from ${word(reach.envFile)}`,
          reach.cwd === undefined ? '' : `, in ${word(reach.cwd)}`,
        ].join('')
      : `${reach.url}${pairs('with', reach.headers)}`
  return plainText(text, 4_000)
}

function word(text: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(text) ? text : JSON.stringify(text)
}
