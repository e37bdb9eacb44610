import type { Risk } from '@cadre/core'
import type { CommandLine, FoundCommand } from './command-line.ts'
import { hasOption } from './find-danger.ts'
import { networkPrograms, printPrograms, runsCode, writePrograms } from './programs/known-programs.ts'

const high =
  /^(?:rm|rmdir|shred|srm|sudo|doas|su|runuser|pkexec|chmod|chown|chgrp|chattr|setfacl|reboot|shutdown|halt|poweroff|dd|mkfs.*|fdisk|sfdisk|gdisk|parted|wipefs|mount|umount|iptables|ip6tables|nft|ufw|firewall-cmd|kill|killall|pkill|xkill|crontab|at|useradd|userdel|usermod|passwd|visudo|insmod|modprobe|sysctl|chroot|nsenter|eval|remove-item|format|del)$/
const medium =
  /^(?:docker|podman|nerdctl|docker-compose|kubectl|oc|helm|systemctl|service|launchctl|ssh|scp|sftp|rsync|ftp|nc|ncat|socat|telnet|terraform|ansible|ansible-playbook|aws|gcloud|az|gh|glab|apt|apt-get|yum|dnf|pacman|brew|snap|apk|zypper|port|choco|winget)$/
const installers = /^(?:npm|pnpm|yarn|bun|pip|pip3|pipx|uv|poetry|gem|cargo|go|composer|bundle|conda|mamba)$/
const installing = /^(?:install|i|ci|add|update|upgrade|remove|uninstall|publish|get|sync)$/
/** Git commands. */
const changing =
  /^(?:push|pull|fetch|clone|reset|rebase|merge|checkout|switch|restore|stash|cherry-pick|revert|commit|am|apply|clean|rm|mv|submodule|worktree|config|remote)$/
/** Whole parts of a path, never part of a word. */
const secret =
  /(?:^|\/)(?:\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.netrc|\.npmrc|\.pypirc|id_rsa|id_ed25519|shadow|sudoers|config\.json|(?:\.env|secrets?|passwords?|credentials)(?:\.[^/\r\n\u2028\u2029]+)?)(?:\/|$)/i

type Found = { readonly [risk in 'HIGH' | 'MEDIUM']: Set<string> }

/** Rates how much harm a line could do, and why, from its parsed words. `firmware` does not match `rm`. */
export function assessRisk(line: CommandLine): { readonly risk: Risk; readonly reasons: readonly string[] } {
  const found: Found = { HIGH: new Set(), MEDIUM: new Set() }
  if (line.refused !== undefined) found.HIGH.add(line.refused.reason)
  if (line.plan === undefined && line.why !== undefined) found.MEDIUM.add(`Needs a shell: ${line.why}`)
  for (const command of line.commands) assessCommand(command, found)
  const { HIGH, MEDIUM } = found
  if (HIGH.size + MEDIUM.size === 0) return { risk: 'LOW', reasons: ['Read-only.'] }
  return { risk: HIGH.size > 0 ? 'HIGH' : 'MEDIUM', reasons: [...new Set([...HIGH, ...MEDIUM])] }
}

function assessCommand(
  { texts, program, described, redirects }: FoundCommand,
  { HIGH, MEDIUM }: Found,
): void {
  for (const { path, kind } of redirects) {
    if (isSecret(path)) HIGH.add(`Sensitive file: ${path}`)
    else if (kind === 'write' && !/^\/dev\/(?:null|std|fd\/)/.test(path)) MEDIUM.add(`Writes a file: ${path}`)
  }
  const name = texts[0]
  if (name === undefined) return
  if (high.test(program)) HIGH.add(`Dangerous command: ${program}`)
  else if (program === 'git') assessGit(texts, { HIGH, MEDIUM })
  else if (medium.test(program)) MEDIUM.add(`System-modifying command: ${program}`)
  else if (installers.test(program) && texts.some((word, at) => at > 0 && installing.test(word)))
    MEDIUM.add(`Installs or removes packages: ${program}`)
  else if (networkPrograms.has(program)) MEDIUM.add(`Reaches the network: ${program}`)
  else if (writePrograms.has(program)) MEDIUM.add(`Changes files: ${program}`)
  else if (described?.isReader !== true && runsCode(name, program)) MEDIUM.add(`Runs code: ${name}`)
  for (const { word } of described?.unlisted ?? [])
    MEDIUM.add(`Not a known read-only use of ${program}: ${word}`)
  const path = printPrograms.has(program) ? undefined : texts.find((word, at) => at > 0 && isSecret(word))
  if (path !== undefined) HIGH.add(`Sensitive file: ${path}`)
}

function assessGit(texts: readonly string[], { HIGH, MEDIUM }: Found): void {
  const sub = texts[1] ?? ''
  const args = texts.slice(2)
  const isHard =
    (sub === 'clean' && hasOption(args, 'f', 'force')) ||
    (sub === 'branch' && hasOption(args, 'D', 'delete')) ||
    (sub === 'reset' && hasOption(args, '', 'hard')) ||
    (sub === 'push' && hasOption(args, 'fd', 'force')) ||
    /^(?:filter-branch|filter-repo|update-ref|gc|prune)$/.test(sub)
  if (isHard) HIGH.add(`Discards history or changes: git ${sub}`)
  else if (changing.test(sub)) MEDIUM.add(`Changes a repository: git ${sub}`)
}

function isSecret(word: string): boolean {
  const value = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word
  return /^\/etc(?:\/|$)/.test(value) || secret.test(value)
}
