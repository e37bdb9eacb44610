import type { AgentDefinition, Notice } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import {
  type FolderContents,
  type FolderRequest,
  type FolderTrust,
  type HomeState,
  judgeFolder,
  openAuditLog,
  readFolderContents,
  storeAnswer,
} from '@cadre/gate'
import { createTrust, type Home, loadConfig, openUserHomes, type Trust, type TrustItem } from '@cadre/home'
import type { ServerConfig } from '@cadre/mcp'
import type { Environment } from './environment.ts'
import { findServers } from './find-servers.ts'
import { homeStateOf, substituteHome, trustsEverything } from './home-trust.ts'
import type { ConfirmTrust } from './person-port.ts'
import { policyHooks, userPaths } from './user-paths.ts'

export interface TrustFolderRequest {
  readonly home: Home
  /** The state of the home. Default: Cadre inspects it. */
  readonly state?: Promise<HomeState> | undefined
  readonly project: string
  /** The agents in files. None if the policy disables them. */
  readonly agents: readonly AgentDefinition[]
  /** The folder that agents may change. Default: the project. */
  readonly workspace?: string | undefined
  /** MCP servers of the program that runs Cadre. */
  readonly mcpServers?: readonly ServerConfig[] | undefined
  /** False: those in files of VS Code are not used. */
  readonly editorFiles?: boolean | undefined
  /** False: MCP servers are not used, so they need no trust. */
  readonly usesServers?: boolean | undefined
  /** `--trust`. */
  readonly everything?: boolean | undefined
  /** For a resumed run: what `--trust` covered when it started. */
  readonly granted?: readonly TrustItem[] | undefined
  /** Asks again about items that the user has declined before. */
  readonly asksAgain?: boolean | undefined
  /** Asks a person. Absent if no person is available. */
  readonly confirm?: ConfirmTrust | undefined
}

export interface TrustedFolder extends FolderTrust {
  readonly trust: Trust
  /** True if the home is trusted. It may be, even if the rest of the folder is not. */
  readonly homeTrusted: boolean
}

/** Inspects a folder, including its home, and asks a person about items that are not trusted yet. Stores the answer outside the folder. */
export async function trustFolder(io: Environment, request: TrustFolderRequest): Promise<TrustedFolder> {
  const { home, project, agents, confirm, granted, asksAgain = false } = request
  const everything = trustsEverything(io, { trust: request.everything })
  const { trust: file, homes, home: userHome } = userPaths(io.env)
  const trust = createTrust({ file, everything, also: granted })
  const look = async (homeState: HomeState | undefined) =>
    readFolderContents({
      ...{ project, home: home.path, homeState, agents, userHome, policyFolder: policyHooks },
      ...(await folderServersIn(io, request, homeState)),
    })
  const judge = (contents: FolderContents): TrustedFolder => {
    const judged = judgeFolder(project, contents, trust)
    return { ...judged, trust, homeTrusted: !judged.missing.some(({ file: at }) => at === home.path) }
  }
  const state = everything ? undefined : await (request.state ?? homeStateOf(io, home, { granted }))
  const judged = judge(await look(state))
  if (judged.trusted || confirm === undefined || (judged.declined && !asksAgain)) return judged
  const answer = await confirm(judged)
  if (answer === 'later') return judged
  if (answer === 'no') {
    storeAnswer(answer, judged, trust)
    note(io, judged.homeTrusted ? home : substituteHome(io, home), judged, 'trust.declined')
    return judge(judged.contents)
  }
  if (state?.kind === 'foreign') openUserHomes(homes).add(home.path)
  const left = await look(state && { ...state, kind: state.kind === 'foreign' ? 'own' : state.kind })
  const shown = new Set(judged.contents.items.map(({ path, sha256 }) => `${sha256} ${path}`))
  // Trust only the items that the person has seen.
  const items = left.items.filter(({ path, sha256 }) => shown.has(`${sha256} ${path}`))
  storeAnswer(answer, { ...judged, contents: { ...left, items } }, trust)
  note(io, home, judged, 'trust.given')
  return judge(left)
}

/** The MCP servers that belong to the folder: files in the project or in the home configure them, or they run files in the project. */
async function folderServersIn(
  io: Environment,
  request: TrustFolderRequest,
  state: HomeState | undefined,
): Promise<Pick<FolderRequest, 'servers' | 'unusableServers'>> {
  const { home, project, workspace = project, agents, mcpServers, usesServers = true } = request
  if (!usesServers) return {}
  const found = await loadConfig({
    home: home.path,
    userConfig: userPaths(io.env).config,
    trusted: () => true,
    // A run reports the errors.
  }).catch(() => undefined)
  const { folderServers, diagnostics } = findServers(io, {
    ...{ project, workspace, agents, client: mcpServers, editorFiles: request.editorFiles },
    ownHome: ownHomeFor(io, home, state),
    configured: found?.servers,
    discover: found?.config.mcp?.discover,
  })
  const unreadable = diagnostics.filter(({ code }) => code === 'mcp-unreadable')
  return {
    servers: [...folderServers.values()],
    unusableServers: unreadable.map(({ path: file, message }) => ({ file, reason: message })),
  }
}

/** The path of the home if only this user can have written its configuration. */
export function ownHomeFor(io: Environment, home: Home, state: HomeState | undefined): string | undefined {
  if (state !== undefined && state.tracked.kind !== 'none') return undefined
  return openUserHomes(userPaths(io.env).homes).owns(home.path) ? home.path : undefined
}

function note(io: Environment, home: Home, { folder, missing }: FolderTrust, type: string): void {
  const log = openAuditLog({
    home,
    tell: io.warn,
    environment: io.env,
  })
  const by = io.env['USER'] || io.env['USERNAME'] || 'unknown'
  const items = missing.map(({ path, sha256, what }) => ({ path, sha256, what }))
  log.append({ at: new Date(systemClock.now()).toISOString(), type, folder, by, items })
  log.close()
}

/**
 * The notices about an untrusted folder and unusable files. `records`: the home in use. `howTo`: how to trust the folder, if not on the
 * command line.
 */
export function trustNotices(
  io: Environment,
  folder: TrustedFolder,
  records: Home,
  howTo?: string,
): Notice[] {
  const { contents, trusted, missing, declined, homeTrusted } = folder
  const untrusted = (message: string): Notice => ({ code: 'untrusted', message })
  const unusable = contents.unusable.map(({ file, reason }) => untrusted(`${file} is not used: ${reason}`))
  if (trusted) return unusable
  const list = missing.map(
    ({ file, line, what }) => `\n  ${line === undefined ? file : `${file}:${line}`} ${what}`,
  )
  const instead = homeTrusted
    ? ''
    : `\nUntil you trust it, Cadre uses ${records.path} instead of the home directory.`
  const next =
    howTo !== undefined
      ? howTo
      : declined
        ? `You declined; remove the "declined" entry from ${userPaths(io.env).trust} to be asked again, or use --trust for one command.`
        : 'Inspect these files and answer the question that Cadre asks in a terminal, or use --trust (or CADRE_TRUST=1) for one command.'
  return [
    untrusted(
      `this folder is not trusted: Cadre ignores its hooks, tools and rules, and agents are read-only.${list.join('')}${instead}\n${next}`,
    ),
    ...unusable,
  ]
}
