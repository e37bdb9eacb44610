import path from 'node:path'
import type { Team } from '@cadre/agents'
import {
  type Agents,
  type Allowed,
  type Answerer,
  combineHandlers,
  isEffect,
  type LifecycleHandler,
  messageOf,
  type RequireApprovals,
  type Reviewer,
  type Rule,
  type SessionSpec,
} from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import { effectsOf, type Home, type Policy, type TrustItem } from '@cadre/home'
import { createRequireApprovals } from './approvals/create-require-approvals.ts'
import { createCommandRule } from './commands/create-command-rule.ts'
import { openAllowlists } from './commands/open-allowlists.ts'
import { userRuleItem } from './commands/own-rule.ts'
import { createEffectsRule } from './effects/create-effects-rule.ts'
import { createPathRule } from './effects/create-path-rule.ts'
import { createServerRule } from './effects/create-server-rule.ts'
import { createDeniedPaths, type Unreadable, type UnwritablePaths } from './effects/denied-paths.ts'
import { createEvidence, type Evidence } from './evidence/create-evidence.ts'
import { createAgentHooks } from './hooks/agent-hooks.ts'
import { createHooks, type Hooks } from './hooks/create-hooks.ts'
import type { HookSet } from './hooks/hook.ts'
import type { HookRun } from './hooks/hook-runner.ts'
import { createPathResolver, type PathResolver } from './paths/path-resolver.ts'
import type { ClaudeRule } from './permissions/claude-rule.ts'
import { createPermissionsRule } from './permissions/create-permissions-rule.ts'
import { noPermissions, type PermissionSet } from './permissions/find-permissions.ts'
import { pathRestrictions } from './permissions/path-restrictions.ts'
import { permissionAllowance } from './permissions/permission-allowance.ts'
import { permissionCommands } from './permissions/permission-commands.ts'
import { preapprovedRulesOf } from './permissions/preapprove.ts'
import { artifactOf } from './roles/artifact-of.ts'
import { createRoleRule } from './roles/create-role-rule.ts'
import { cleanEnvironment } from './sandbox/clean-environment.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { createUntrustedRule } from './trust/create-untrusted-rule.ts'
import type { FolderTrust } from './trust/folder-trust.ts'

export interface GuardOptions {
  readonly home: Home
  readonly userHome: string
  /** The user's own allowlist, if there is one. */
  readonly userAllowlist?: string | undefined
  readonly folder: Pick<FolderTrust, 'folder' | 'trusted'>
  /** Set if the home is the user's own or trusted: then its files need no further trust. */
  readonly ownHome?: string | undefined
  /** True if a person trusts a file of the folder with its current content. */
  readonly trusted: (item: TrustItem) => boolean
  readonly policy: Policy
  /** The team in use, if one was chosen. */
  readonly team?: Team | undefined
  /** `--allow`: for every session. */
  readonly allow?: readonly Allowed[] | undefined
  /** What was granted to a run, by the id of its entry session. Called for each call. */
  readonly granted?: ((root: string) => readonly Allowed[]) | undefined
  /** `--no-human`. */
  readonly noHuman?: boolean | undefined
  /** May still be pending. Until it resolves, the rules assume no sandbox, and commands wait for it. */
  readonly sandbox: Sandbox | Promise<Sandbox>
  readonly hooks: HookSet
  /** `permissions` in Claude Code's settings. */
  readonly permissions?: PermissionSet | undefined
  readonly agents: Agents
  readonly environment: NodeJS.ProcessEnv
  readonly tell: (message: string) => void
  /** Replaces the artifacts in workspaces. A replay reads them from its fixture. */
  readonly evidence?: Evidence | undefined
  /** False: no hook runs, and none decides anything. */
  readonly runsHooks?: boolean | undefined
  /** Called when a hook has run. Must not throw. */
  readonly hookRan?: ((run: HookRun) => void) | undefined
}

/** Everything that protects the machine from the agents of a run: rules for the engine, and settings for the tools. */
export interface Guard {
  readonly rules: readonly Rule[]
  readonly answerers: readonly Answerer[]
  /** Absent if no policy says how many people must approve. */
  readonly requireApprovals: RequireApprovals | undefined
  readonly reviewers: readonly Reviewer[]
  readonly onLifecycleEvent: LifecycleHandler | undefined
  readonly places: PathResolver
  /** The project folder. Its files come from a repository, so no program is searched for in it. */
  readonly project: string
  readonly hooks: Hooks
  /** When it resolves, the rules use it too. */
  readonly sandbox: Sandbox | Promise<Sandbox>
  /** Returns which files listing and searching must omit, for a workspace. */
  hiddenIn(workspace: string): ((real: string) => boolean) | undefined
  /** Files that no command may read, for a workspace. */
  unreadableIn(workspace: string): Unreadable | undefined
  /** Files that no command may change, for a workspace. */
  unwritableIn(workspace: string): UnwritablePaths | undefined
  /** Problems in the allowlists. */
  readonly diagnostics: readonly Diagnostic[]
  /** The same rules without running hooks: their names are passed to `list` instead. */
  withoutHooks(list: (names: readonly string[]) => void): Pick<Guard, 'rules' | 'answerers'>
}

/** Assembles all rules of a run. Runs and writes nothing. */
export function createGuard(options: GuardOptions): Guard {
  const { home, userHome, folder, policy, agents, tell, trusted } = options
  const places = createPathResolver({
    home: home.path,
    userHome,
    ...(options.userAllowlist !== undefined && { userSettings: path.dirname(options.userAllowlist) }),
    project: folder.folder,
    // Files that hooks run affect decisions about agents, wherever they are in the project.
    scripts: scriptsOf(options),
  })
  const sandbox = createKnownSandbox(options.sandbox)
  const isSandboxed = () => sandbox.now.kind !== 'none'
  const { permissions = noPermissions } = options
  const more = pathRestrictions(permissions.rules, folder.folder)
  const denied = createDeniedPaths({ policy, more, places, userHome })
  const allowanceWith = (more: readonly ClaudeRule[]) =>
    permissionAllowance({ rules: [...permissions.rules, ...more], project: folder.folder, userHome, places })
  const listFile = home.at('storage', 'terminal-cmd-allowlist.yaml')
  const allowlists = openAllowlists([
    {
      path: listFile,
      ...(options.ownHome === undefined && { trusted }),
      isOwn: (pattern) => trusted(userRuleItem(listFile, pattern)),
    },
    ...(options.userAllowlist === undefined ? [] : [{ path: options.userAllowlist, isOwn: () => true }]),
  ])
  const { evidence = createEvidence({ places, folder: home.at('storage', 'evidence') }), runsHooks = true } =
    options
  const hooks = createHooks({
    hooks: () => options.hooks,
    project: folder.folder,
    userHome,
    environment: (extra) => ({ ...cleanEnvironment(options.environment, policy.environment), ...extra }),
    tell,
    agents,
    trusted,
    ownHome: options.ownHome,
    // Everything was trusted when the run started. So hooks that are untrusted now have changed since, or a record names
    // hooks that no file contains.
    untrustedHooks: folder.trusted ? 'barred' : 'idle',
    transcript: (session) => home.at('sessions', `${session}.session.yaml`),
    ran: options.hookRan,
  })
  const rules: readonly Rule[] = [
    ...(folder.trusted ? [] : [createUntrustedRule(folder.folder)]),
    createRoleRule({ places }),
    ...(denied.isEmpty ? [] : [createPathRule({ policy, more, places, userHome, sandboxed: isSandboxed })]),
    createServerRule({ places, userHome }),
    ...(permissions.rules.length + permissions.lost.length === 0 ? [] : [createPermissionsRule(permissions)]),
    keyByGrant(options, ({ allow, preapproved, team }) =>
      createEffectsRule({
        policy,
        team,
        allow: allow.filter(isEffect),
        places,
        sandboxed: isSandboxed,
        allowance: allowanceWith([...preapproved, ...rulesOf(allow)]),
        ownOf: ({ agent }) => (agent.boundary?.writes === 'none' ? undefined : artifactOf(agent)),
      }),
    ),
    keyByGrant(options, ({ allow, preapproved, team }) => {
      const effects = effectsOf({ policy, team: team?.effects, allow: allow.filter(isEffect) })
      const ofPermissions = permissionCommands([...permissions.rules, ...preapproved])
      return createCommandRule({
        allowlists: () => [...allowlists.lists(), ofPermissions],
        execute: effects.execute,
        decidedBy: policy.decidedBy.get('effects.execute'),
        isOwnExecute: isOwnPolicy(policy.decidedBy.get('effects.execute'), options.userAllowlist),
        write: effects.write,
        searchPath: options.environment['PATH'],
        excluded: [folder.folder, home.path],
        get sandboxed() {
          return isSandboxed()
        },
        places,
        beforehand: policy.beforehand,
      })
    }),
  ]
  const nobody = options.noHuman ? [denyWithoutHuman] : []
  const events = runsHooks ? hooks.events : new Set<string>()
  return {
    rules: runsHooks ? [...rules, hooks.rule] : rules,
    answerers: [
      ...(events.has('PermissionRequest')
        ? [policy.beforehand ? hooks.answerer : denyOnly(hooks.answerer)]
        : []),
      ...nobody,
    ],
    requireApprovals: createRequireApprovals({ policy, places, userHome }),
    reviewers: [
      evidence.reviewer,
      ...(events.has('Stop') || events.has('SubagentStop') ? [hooks.reviewer] : []),
    ],
    onLifecycleEvent: combineHandlers(
      events.size === 0 ? [evidence.onLifecycleEvent] : [evidence.onLifecycleEvent, hooks.onLifecycleEvent],
    ),
    places,
    project: folder.folder,
    hooks,
    sandbox: sandbox.found,
    hiddenIn: (workspace) => denied.hiddenIn(workspace),
    unreadableIn: (workspace) => denied.unreadableIn(workspace),
    unwritableIn: (workspace) => denied.unwritableIn(workspace),
    diagnostics: [...allowlists.diagnostics(), ...permissions.diagnostics],
    withoutHooks: (list) => ({ rules: [...rules, withHookNames(hooks, list)], answerers: nobody }),
  }
}

/** One rule per set of allowed effects and of preapproved calls, because the sessions under one guard can have different ones. */
function keyByGrant(
  { allow = [], granted = () => [], team }: Pick<GuardOptions, 'allow' | 'granted' | 'team'>,
  create: (grant: GrantOfSession) => Rule,
): Rule {
  const defaultRule = create({ allow, preapproved: [], team })
  const others = new Map<string, Rule>()
  const ruleFor = ({ root, agent, controls }: SessionSpec): Rule => {
    const more = granted(root).filter((effect) => !allow.includes(effect))
    const preapproved = preapprovedRulesOf(agent)
    const isWithoutTeam = team !== undefined && controls?.noTeamEffects === true
    if (more.length === 0 && preapproved.length === 0 && !isWithoutTeam) return defaultRule
    const key = JSON.stringify([more.toSorted(), preapproved, isWithoutTeam])
    const grant = { allow: [...allow, ...more], preapproved, team: isWithoutTeam ? undefined : team }
    const rule = others.get(key) ?? create(grant)
    others.set(key, rule)
    return rule
  }
  return {
    ...defaultRule,
    judge: (call, session, signal) =>
      (call.tool.effect === 'read' ? defaultRule : ruleFor(session)).judge(call, session, signal),
  }
}

/** What a session may do without approval. */
interface GrantOfSession {
  readonly allow: readonly Allowed[]
  readonly preapproved: readonly ClaudeRule[]
  readonly team: Team | undefined
}

/** `--allow server/tool` as rules. */
function rulesOf(allow: readonly Allowed[]): ClaudeRule[] {
  return allow.flatMap((text) =>
    isEffect(text) ? [] : [{ decision: 'allow', text, tool: text, place: '--allow', level: 'user' }],
  )
}

/** True if the user or the organisation wrote it, not the project. */
function isOwnPolicy(place: string | undefined, userAllowlist: string | undefined): boolean {
  if (place === undefined) return false
  const folders = ['/etc/cadre', ...(userAllowlist === undefined ? [] : [path.dirname(userAllowlist)])]
  return folders.some((folder) => place.startsWith(`${folder}${path.sep}`))
}

function scriptsOf({ hooks, agents, folder }: GuardOptions): string[] {
  const ofAgent = createAgentHooks({ project: folder.folder, trusted: () => true })
  const all = [...hooks.hooks, ...agents.list().flatMap(ofAgent)]
  return [...new Set(all.flatMap(({ scripts = [] }) => scripts.map(({ path }) => path)))]
}

interface KnownSandbox {
  /** No sandbox until the check has finished. */
  readonly now: Sandbox
  readonly found: Sandbox | Promise<Sandbox>
}

function createKnownSandbox(given: Sandbox | Promise<Sandbox>): KnownSandbox {
  if (!(given instanceof Promise)) return { now: given, found: given }
  let now: Sandbox = { kind: 'none', reason: 'Cadre is still checking whether a sandbox is available' }
  const found = given
    .catch(
      (error): Sandbox => ({
        kind: 'none',
        reason: `Cadre cannot check whether a sandbox is available: ${messageOf(error)}`,
      }),
    )
    .then((sandbox) => {
      now = sandbox
      return sandbox
    })
  return {
    get now() {
      return now
    },
    found,
  }
}

/** If automatic approval is forbidden, a hook can deny for a person, but not approve. */
function denyOnly(answerer: Answerer): Answerer {
  return async (...asked) => {
    const said = await answerer(...asked)
    return said?.kind === 'deny' ? said : undefined
  }
}

const denyWithoutHuman: Answerer = ({ verdict }) => ({
  kind: 'deny',
  by: 'approval',
  rule: 'no-human',
  reason: `the call needs an approval, but no person is available (--no-human): ${verdict.reason}`,
})

function withHookNames(hooks: Hooks, list: (names: readonly string[]) => void): Rule {
  return {
    by: 'hook',
    name: 'hooks',
    immediate: true,
    judge(call, session) {
      list(hooks.wouldRun(call, session))
      return undefined
    },
  }
}
