import { ApiError, type Client, createClient } from '@cadre/api'

const keyName = 'cadre-key'

/** The second half of the credential. Storage is bound to this address and port, and the browser never sends it automatically. */
export function storedKey(): string | undefined {
  return localStorage.getItem(keyName) ?? undefined
}

/**
 * Logs in with the secret after `#key=`, if the address has one. Returns the reason if this failed. The secret is removed from the address
 * first, so that the browser's history does not contain it.
 */
export async function logIn(client: Pick<Client, 'login'>): Promise<string | undefined> {
  const secret = new URLSearchParams(location.hash.slice(1)).get('key')
  if (secret === null) return undefined
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  return keepKey(() => client.login({ body: { secret } }))
}

/** Logs in with a person's token. Returns the reason if this failed. The page stores only the login's key, never the token. */
export async function logInWithToken(text: string): Promise<string | undefined> {
  const token = text.trim()
  // Browsers do not send other characters in a header.
  if (!/^[\w~+/.-]{16,512}=*$/.test(token))
    return 'This is not a token. Paste the whole token that "cadre people add" printed.'
  return keepKey(() => createClient({ address: '', token }).login())
}

async function keepKey(login: () => ReturnType<Client['login']>): Promise<string | undefined> {
  try {
    const { key } = await login()
    localStorage.setItem(keyName, key)
    return undefined
  } catch (error) {
    // Another tab may be signed in: an old link or a wrong token must not sign it out.
    return error instanceof ApiError ? error.message : 'The server does not respond. Is Cadre still running?'
  }
}

/** Signs out in all tabs. */
export async function logOut(client: Pick<Client, 'logout'>): Promise<void> {
  try {
    await client.logout()
  } finally {
    localStorage.removeItem(keyName)
  }
}
