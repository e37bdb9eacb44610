import type { GitRequest } from '@cadre/disk'

export interface HiddenCredentials extends Pick<GitRequest, 'settings' | 'variables'> {
  readonly address: string
}

const names = { user: 'CADRE_GIT_USER', password: 'CADRE_GIT_PASSWORD' }
const helper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$${names.user}" "$${names.password}"; }; f`

/**
 * Moves the password of an address into the environment, from where git gets it. Every user of the machine can see the arguments of a
 * program. Git asks for it only for this server, not for one to which the server redirects it.
 */
export function hideCredentials(address: string): HiddenCredentials {
  const [, scheme = '', userinfo = '', host = '', rest = ''] =
    /^(https?:\/\/)([^/?#]*)@([^/?#@]+)(.*)$/is.exec(address) ?? []
  const colon = userinfo.indexOf(':')
  if (colon < 0) return { address }
  const user = decoded(userinfo.slice(0, colon))
  const password = decoded(userinfo.slice(colon + 1))
  // Git rejects these too.
  if (/[\n\r\0]/.test(user + password)) return { address }
  const section = `credential.${scheme}${host}`
  return {
    address: `${scheme}${host}${rest}`,
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
