export { ceilingsIn, createLedger } from './budgets/create-ledger.ts'
export { openLedgerFiles } from './budgets/ledger-files.ts'
export type { LedgerStore } from './budgets/ledger-store.ts'
export { withPolicyBudgets } from './budgets/with-policy-budgets.ts'
export type { Config, DaemonConfig, EngineSettings } from './config/config.ts'
export { configKeys, type FoundKey, findKey } from './config/find-key.ts'
export {
  type ConfiguredServers,
  type LoadedConfig,
  loadConfig,
  type NeedsTrust,
} from './config/load-config.ts'
export { type ConfigFile, checkConfigText, readConfigFile } from './config/read-config-file.ts'
export { settingsIn } from './config/settings-in.ts'
export { openHomeGit } from './history/home-git.ts'
export { editFile, readPlainFile } from './home/edit-shared-file.ts'
export type { Home } from './home/home.ts'
export { openHome } from './home/open-home.ts'
export { sessionIds, slugOf } from './home/session-ids.ts'
export { checkSessionName, isSessionName } from './home/valid-session-name.ts'
export { appendInbox } from './inbox/append-inbox.ts'
export { chooseRoute } from './inbox/choose-route.ts'
export { fillTemplate, isTemplateFilled } from './inbox/fill-template.ts'
export { fieldAt, type InboxRoute, type TaskTemplate } from './inbox/inbox-route.ts'
export { readRoutes } from './inbox/read-routes.ts'
export { openRoutes } from './inbox/routes-file.ts'
export { daemonLeaseName, isDaemonRunning } from './leases/daemon-lease.ts'
export { type HeldLease, holdLease } from './leases/hold-lease.ts'
export { Leases } from './leases/leases.ts'
export { runningProcess } from './leases/running-process.ts'
export { withLock } from './leases/with-lock.ts'
export { lineFileBaseName, lineFileName } from './lines/line-file-name.ts'
export type { LineReader, ParsedLine, UnreadableLine } from './lines/line-reader.ts'
export { openLineReader } from './lines/open-line-reader.ts'
export { type MailMessage, type MailReceipt, messageFromLine } from './mailboxes/mail-message.ts'
export { mailText } from './mailboxes/mail-text.ts'
export { mailboxName, mailboxOfFile } from './mailboxes/mailbox-name.ts'
export { type Mailboxes, openMailboxes } from './mailboxes/open-mailboxes.ts'
export { type Outbox, openOutbox } from './outbox/open-outbox.ts'
export { homeOwner } from './people/home-owner.ts'
export { openPeople, type People } from './people/open-people.ts'
export { type Person, type Role, roles } from './people/person.ts'
export {
  readRequesters,
  recordRequesters,
  requestersIn,
  unknownRequester,
} from './people/recorded-requesters.ts'
export { type ApprovalRule, describeRequirement, strictestRequirement } from './policy/approval-rule.ts'
export { type CommandLimits, defaultCommandLimits } from './policy/command-limits.ts'
export { effectsOf } from './policy/effects-of.ts'
export { type Enforcement, enforcePolicy } from './policy/enforce-policy.ts'
export { inspectProjectPolicy, type LoadedPolicy, loadPolicy } from './policy/load-policy.ts'
export { type Effects, type Policy, permissivePolicy } from './policy/policy.ts'
export { modelRefusal, restrictModels } from './policy/restrict-models.ts'
export { listRestrictions } from './policy/restrictions.ts'
export { withModelAliases } from './policy/with-model-aliases.ts'
export { requestCancel } from './requests/request-cancel.ts'
export { watchRequests } from './requests/watch-requests.ts'
export { openSecrets, type Secrets } from './secrets/open-secrets.ts'
export { findSecretStores } from './secrets/secret-store.ts'
export { openTeams, type TeamFiles } from './teams/open-teams.ts'
export { defaultTeamMessages } from './teams/team-message-limit.ts'
export { teamRules } from './teams/team-rules.ts'
export {
  doubtsAbout,
  doubtsFolder,
  noteDoubt,
  placeKey,
  projectedFolder,
  removeDoubts,
  sessionOfDoubt,
} from './trust/doubtful-files.ts'
export { fingerprintModule } from './trust/fingerprint-module.ts'
export { type Grants, openGrants } from './trust/grants.ts'
export { moduleFiles } from './trust/module-files.ts'
export { isHandWritten, wasEditedByCadre } from './trust/own-edits.ts'
export { resolveModule } from './trust/resolve-module.ts'
export { placesOf, repositoriesAbove, type TrackedFiles, trackedFiles } from './trust/tracked-files.ts'
export { createTrust, type Trust, type TrustItem } from './trust/trust.ts'
export {
  hasOwnWriteIn,
  isOwnWrite,
  isUnsandboxedCommandRunning,
  isUnsandboxedCommandRunningHere,
  markUnsandboxedCommand,
  onRestoreFiles,
  rememberOwnWrite,
  restoreOpenFiles,
} from './trust/unsandboxed-command.ts'
export { isEmptyHome, openUserHomes, type UserHomes } from './trust/user-homes.ts'
