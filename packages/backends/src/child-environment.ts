export type Environment = { readonly [name: string]: string | undefined }

/** What any program needs: where things are, who the user is, how the network is reached. */
const base =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|(HTTPS?|ALL|NO)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|DBUS_SESSION_BUS_ADDRESS|APPDATA|LOCALAPPDATA|USERPROFILE|USERNAME|SYSTEM(ROOT|DRIVE)|PROGRAMDATA|COMSPEC|PATHEXT)$/i

/** The environment of a program that Cadre starts: what any program needs, and what matches `own`. Keys for other services stay here. */
export function childEnvironment(env: Environment, own: RegExp): { [name: string]: string | undefined } {
  return Object.fromEntries(Object.entries(env).filter(([name]) => base.test(name) || own.test(name)))
}
