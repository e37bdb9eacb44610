import { statSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'

const ofMachine = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssh',
  '/var/spool/cron',
  '/var/lib/docker',
  '/var/lib/kubelet',
  '/etc/kubernetes',
]
const ofUser = [
  '.ssh',
  '.aws',
  '.azure',
  '.config',
  '.gnupg',
  '.docker',
  '.kube',
  '.npmrc',
  '.netrc',
  '.pypirc',
  '.git-credentials',
  '.gitconfig',
  '.pgpass',
  '.my.cnf',
  '.vault-token',
  '.local/share',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.claude',
  '.copilot',
  '.password-store',
  // Browsers keep logins of the page.
  '.mozilla',
  '.var/app',
  'snap',
  '.bash_history',
  '.zsh_history',
]

export interface SecretPath {
  readonly place: string
  readonly isFolder: boolean
}

/**
 * Returns the paths to cover on top of all other mounts. The user's home is hidden as a whole. If it is inside the
 * workspace, it becomes visible again, and its secrets are covered one by one.
 */
export function secretPaths(request: { readonly root: string; readonly userHome: string }): SecretPath[] {
  const { root, userHome } = request
  const names = isInside(root, userHome) ? ofUser.map((name) => path.join(userHome, name)) : []
  return [...ofMachine.filter((place) => !isInside(place, root)), ...names].flatMap((place) => {
    try {
      return [{ place, isFolder: statSync(place).isDirectory() }]
    } catch {
      return []
    }
  })
}
