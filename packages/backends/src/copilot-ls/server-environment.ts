type Environment = { readonly [name: string]: string | undefined }

const names = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'DBUS_SESSION_BUS_ADDRESS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
  'USERNAME',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'PROGRAMDATA',
  'COMSPEC',
  'PATHEXT',
])
const prefixes = ['XDG_', 'LC_', 'GITHUB_COPILOT_', 'GH_COPILOT_', 'AGENT_DEBUG_']

/** What the server needs of the environment. Keys for other services stay here. */
export function serverEnvironment(env: Environment): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => {
      const upper = name.toUpperCase()
      return names.has(upper) || prefixes.some((prefix) => upper.startsWith(prefix))
    }),
  )
}
