import type { AgentDefinition, Notice } from '@cadre/core'
import { createTrust, type Home, systemClock, type Trust, type TrustItem } from '@cadre/files'
import { type FolderTrust, judgeFolder, keepAnswer, openAuditLog, whatFolderBrings } from '@cadre/gate'
import type { Io } from '../io.ts'
import type { ConfirmTrust } from '../run/confirm-trust.ts'
import { userPlaces } from './places.ts'

export interface TrustFolderRequest {
  readonly home: Home
  readonly project: string
  /** The agents that files define; none where the policy keeps them from being used. */
  readonly agents: readonly AgentDefinition[]
  /** `--trust`. */
  readonly everything?: boolean | undefined
  /** Absent when nobody can be asked. */
  readonly confirm?: ConfirmTrust | undefined
}

export interface TrustedFolder extends FolderTrust {
  readonly trust: Trust
  /** As `trusts`, by what is written down at this time: a rule that a person adds is trusted when it is. */
  trustsNow(item: TrustItem): boolean
}

/** Looks at what a folder brings, and asks a person about what nobody has agreed to. The answer is kept outside of the folder. */
export async function trustFolder(io: Io, request: TrustFolderRequest): Promise<TrustedFolder> {
  const { home, project, agents, confirm } = request
  const everything = request.everything === true || io.env['CADRE_TRUST'] === '1'
  const { trust: file, home: userHome } = userPlaces(io.env)
  const trust = createTrust({ file, everything })
  const trustsNow = (item: TrustItem) => createTrust({ file, everything }).trusts(item)
  const contents = await whatFolderBrings({ project, home: home.path, agents, userHome })
  const judged = judgeFolder(project, contents, trust)
  if (judged.trusted || judged.declined || confirm === undefined) return { ...judged, trust, trustsNow }
  const answer = await confirm(judged)
  if (answer === 'later') return { ...judged, trust, trustsNow }
  keepAnswer(answer, judged, trust)
  note(io, home, judged, answer === 'yes' ? 'trust.given' : 'trust.declined')
  return { ...judgeFolder(project, contents, trust), trust, trustsNow }
}

function note(io: Io, home: Home, { folder, missing }: FolderTrust, type: string): void {
  const log = openAuditLog({
    home,
    tell: (message) => io.stderr.write(`cadre: ${message}\n`),
    environment: io.env,
  })
  const by = io.env['USER'] || io.env['USERNAME'] || 'unknown'
  const items = missing.map(({ path, sha256, what }) => ({ path, sha256, what }))
  log.append({ at: new Date(systemClock.now()).toISOString(), type, folder, by, items })
  log.close()
}

/** What a person should know of a folder that nobody trusts, and of files that nobody can use. */
export function trustNotices(io: Io, { contents, trusted, missing, declined }: FolderTrust): Notice[] {
  const untrusted = (message: string): Notice => ({ code: 'untrusted', message })
  const unusable = contents.unusable.map(({ file, reason }) => untrusted(`${file} is not used: ${reason}`))
  if (trusted) return unusable
  const list = missing.map(
    ({ file, line, what }) => `\n  ${line === undefined ? file : `${file}:${line}`} ${what}`,
  )
  const next = declined
    ? `You said no to it; remove the entry "declined" from ${userPlaces(io.env).trust} to be asked again, or use --trust for one command.`
    : 'Look at them, and agree when you are asked in a terminal, or use --trust (or CADRE_TRUST=1) for one command.'
  return [
    untrusted(
      `this folder is not trusted: nothing of what it brings is used, and agents only read.${list.join('')}\n${next}`,
    ),
    ...unusable,
  ]
}
