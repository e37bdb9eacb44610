export type Environment = { readonly [name: string]: string | undefined }

/** Variables that any program needs: paths, the user, the network. */
const base =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|(HTTPS?|ALL|NO)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|DBUS_SESSION_BUS_ADDRESS|APPDATA|LOCALAPPDATA|USERPROFILE|USERNAME|SYSTEM(ROOT|DRIVE)|PROGRAMDATA|COMSPEC|PATHEXT)$/i

/**
 * The environment of a program that Cadre starts: basic variables, and those that match `own`. Keys of other services are
 * not passed.
 */
export function childEnvironment(env: Environment, own: RegExp): { [name: string]: string | undefined } {
  return Object.fromEntries(Object.entries(env).filter(([name]) => base.test(name) || own.test(name)))
}
