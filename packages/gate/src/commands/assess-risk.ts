import type { Risk } from '@cadre/core'
import type { CommandLine, FoundCommand } from './command-line.ts'
import { hasOption } from './find-danger.ts'
import { programOf } from './program-name.ts'
import { describeCommand } from './programs/describe-command.ts'
import { fetchers, runsCode, speakers, writers } from './programs/known-programs.ts'

const high =
  /^(?:rm|rmdir|shred|srm|sudo|doas|su|runuser|pkexec|chmod|chown|chgrp|chattr|setfacl|reboot|shutdown|halt|poweroff|dd|mkfs.*|fdisk|sfdisk|gdisk|parted|wipefs|mount|umount|iptables|ip6tables|nft|ufw|firewall-cmd|kill|killall|pkill|xkill|crontab|at|useradd|userdel|usermod|passwd|visudo|insmod|modprobe|sysctl|chroot|nsenter|eval|remove-item|format|del)$/
const medium =
  /^(?:docker|podman|nerdctl|docker-compose|kubectl|oc|helm|systemctl|service|launchctl|ssh|scp|sftp|rsync|ftp|nc|ncat|socat|telnet|terraform|ansible|ansible-playbook|aws|gcloud|az|gh|glab|apt|apt-get|yum|dnf|pacman|brew|snap|apk|zypper|port|choco|winget)$/
const installers = /^(?:npm|pnpm|yarn|bun|pip|pip3|pipx|uv|poetry|gem|cargo|go|composer|bundle|conda|mamba)$/
const secret =
  /^(?:\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.netrc|\.npmrc|\.pypirc|\.env(?:\..+)?|id_rsa|id_ed25519|secrets?(?:\..+)?|passwords?(?:\..+)?|shadow|sudoers|credentials(?:\..+)?|config\.json)$/i

/** How much could go wrong, and why, on parsed words. `firmware` is not `rm`. */
export function assessRisk(line: CommandLine): { readonly risk: Risk; readonly reasons: readonly string[] } {
  const found: { readonly risk: Risk; readonly reason: string }[] = []
  if (line.refused !== undefined) found.push({ risk: 'HIGH', reason: line.refused })
  if (line.plan === undefined && line.why !== undefined)
    found.push({ risk: 'MEDIUM', reason: `Needs a shell: ${line.why}` })
  for (const command of line.commands) found.push(...risksOf(command))
  const risk =
    (['HIGH', 'MEDIUM'] as const).find((level) => found.some((item) => item.risk === level)) ?? 'LOW'
  const sorted = [
    ...found.filter((item) => item.risk === 'HIGH'),
    ...found.filter((item) => item.risk !== 'HIGH'),
  ]
  const reasons = [...new Set(sorted.map((item) => item.reason))]
  return { risk, reasons: reasons.length > 0 ? reasons : ['It only reads.'] }
}

function* risksOf(command: FoundCommand): Generator<{ readonly risk: Risk; readonly reason: string }> {
  for (const redirect of command.redirects) {
    if (isSecret(redirect.path)) yield { risk: 'HIGH', reason: `Sensitive file: ${redirect.path}` }
    else if (redirect.kind === 'write' && !/^\/dev\/(?:null|std|fd\/)/.test(redirect.path))
      yield { risk: 'MEDIUM', reason: `Writes a file: ${redirect.path}` }
  }
  const [name, ...args] = command.words.map(({ text }) => text)
  if (name === undefined) return
  const program = programOf(name)
  const described = describeCommand(command.words)
  if (high.test(program)) yield { risk: 'HIGH', reason: `Dangerous command: ${program}` }
  else if (program === 'git') yield* risksOfGit(args)
  else if (medium.test(program)) yield { risk: 'MEDIUM', reason: `System-modifying command: ${program}` }
  else if (
    installers.test(program) &&
    args.some((word) => /^(?:install|i|ci|add|update|upgrade|remove|uninstall|publish|get|sync)$/.test(word))
  )
    yield { risk: 'MEDIUM', reason: `Installs or removes packages: ${program}` }
  else if (fetchers.has(program)) yield { risk: 'MEDIUM', reason: `Reaches the network: ${program}` }
  else if (writers.has(program)) yield { risk: 'MEDIUM', reason: `Changes files: ${program}` }
  else if (runsCode(name, program) && described?.isReader !== true)
    yield { risk: 'MEDIUM', reason: `Runs code: ${name}` }
  for (const { word } of described?.unlisted ?? [])
    yield { risk: 'MEDIUM', reason: `Not a listed use of ${program}: ${word}` }
  const path = speakers.has(program) ? undefined : args.find(isSecret)
  if (path !== undefined) yield { risk: 'HIGH', reason: `Sensitive file: ${path}` }
}

function* risksOfGit([sub = '', ...args]: readonly string[]): Generator<{
  readonly risk: Risk
  readonly reason: string
}> {
  const isHard =
    (sub === 'clean' && hasOption(args, 'f', 'force')) ||
    (sub === 'branch' && hasOption(args, 'D', 'delete')) ||
    (sub === 'reset' && hasOption(args, '', 'hard')) ||
    (sub === 'push' && hasOption(args, 'fd', 'force')) ||
    /^(?:filter-branch|filter-repo|update-ref|gc|prune)$/.test(sub)
  if (isHard) yield { risk: 'HIGH', reason: `Throws away history or changes: git ${sub}` }
  else if (
    /^(?:push|pull|fetch|clone|reset|rebase|merge|checkout|switch|restore|stash|cherry-pick|revert|commit|am|apply|clean|rm|mv|submodule|worktree|config|remote)$/.test(
      sub,
    )
  )
    yield { risk: 'MEDIUM', reason: `Changes a repository: git ${sub}` }
}

/** By the parts of a path, never by letters within a word. */
function isSecret(word: string): boolean {
  const value = word.slice(word.startsWith('-') ? word.indexOf('=') + 1 : 0)
  if (/^\/etc(?:\/|$)/.test(value)) return true
  return value.split('/').some((part) => secret.test(part))
}
