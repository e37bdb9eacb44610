/**
 * What git may use to reach other repositories: the settings, credentials, proxies and certificates of the user. It must never prompt:
 * nobody sees the question, and the command would wait for an answer.
 */

/** How long a server may send nothing before git gives up. */
const defaultStallSeconds = 300

const connectSeconds = 60

/** A transport such as `ext` would run any program that an address names. */
const transports = ['file', 'git', 'http', 'https', 'ssh']

/** Settings that override the user's. */
export function remoteSettings(stallSeconds = defaultStallSeconds): readonly string[] {
  return [
    'protocol.allow=never',
    ...transports.map((name) => `protocol.${name}.allow=always`),
    'core.askPass=',
    'credential.interactive=false',
    'http.lowSpeedLimit=1',
    `http.lowSpeedTime=${stallSeconds}`,
  ]
}

/** The ssh command for a user who has not chosen one. */
export function sshCommand(stallSeconds = defaultStallSeconds): string {
  const probes = 5
  const options = [
    'BatchMode=yes',
    `ConnectTimeout=${Math.min(connectSeconds, stallSeconds)}`,
    `ServerAliveInterval=${Math.ceil(stallSeconds / probes)}`,
    `ServerAliveCountMax=${probes}`,
  ]
  return ['ssh', ...options.map((option) => `-o ${option}`)].join(' ')
}

/** Git's own variables can select another repository, or print credentials. These do neither. */
const allowed = /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_COMMAND|SSL_\w+|CONFIG_\w+)$/
/** Programs that ask for a password open a window with these. */
const windows = ['DISPLAY', 'WAYLAND_DISPLAY', 'SSH_ASKPASS']

/** The user's environment, because ssh, proxies and credential helpers may need any variable of it. */
export function remoteEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => (!name.startsWith('GIT_') || allowed.test(name)) && !windows.includes(name),
  )
  return { ...Object.fromEntries(kept), SSH_ASKPASS_REQUIRE: 'never', GCM_INTERACTIVE: 'never' }
}
