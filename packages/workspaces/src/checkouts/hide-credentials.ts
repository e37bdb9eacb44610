import { type GitRequest, maskUserinfo } from '@cadre/disk'

export interface HiddenCredentials extends Pick<GitRequest, 'settings' | 'variables'> {
  /** What git gets. It has no password, unless there is a `problem`. */
  readonly address: string
  /** The address without credentials, for people. */
  readonly shown: string
  /** Why git must not run with this address: everyone would see a password. */
  readonly problem?: string
}

const names = { user: 'CADRE_GIT_USER', password: 'CADRE_GIT_PASSWORD' }
const helper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$${names.user}" "$${names.password}"; }; f`

const encode = 'Encode special characters in the user name and password, such as / as %2F.'

/**
 * Moves the password of an address into the environment, from where git gets it. Every user of the machine can see the arguments of a
 * program. Git asks for it only for this server, not for one to which the server redirects it.
 */
export function hideCredentials(address: string): HiddenCredentials {
  const [, scheme = '', authority = '', rest = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)(.*)$/is.exec(address) ?? []
  const at = authority.lastIndexOf('@')
  const [userinfo, host] = [authority.slice(0, Math.max(0, at)), authority.slice(at + 1)]
  const colon = userinfo.indexOf(':')
  const refuse = (problem: string) => ({
    address,
    shown: address.replace(/:\/\/.*@/s, '://***@'),
    problem,
  })
  // Something other than a port follows the colon, and the `@` follows later.
  if (at < 0 && rest.includes('@') && /:(?!\d*$)/.test(host.replace(/^\[[^\]]*\]/, ''))) return refuse(encode)
  if (colon < 0) return { address, shown: maskUserinfo(address) }
  if (!/^https?:/i.test(scheme)) return refuse('Remove the password: only http and https use it.')
  const user = decoded(userinfo.slice(0, colon))
  const password = decoded(userinfo.slice(colon + 1))
  if (/[\n\r\0]/.test(user + password)) return refuse('The user name or password contains a line break.')
  const section = `credential.${scheme}${host}`
  return {
    address: `${scheme}${host}${rest}`,
    shown: `${scheme}***@${host}${rest}`,
    // The first one removes the user's helpers, which do not know this password.
    settings: [`${section}.helper=`, `${section}.helper=${helper}`],
    variables: { [names.user]: user, [names.password]: password },
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
