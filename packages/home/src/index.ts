export type {
  BudgetSettings,
  Config,
  DaemonConfig,
  LimitSettings,
  ModelSettings,
  OpenAiSettings,
} from './config/config.ts'
export { type ConfigRequest, type LoadedConfig, loadConfig, type NeedsTrust } from './config/load-config.ts'
export { type HomeGit, type HomeGitOptions, openHomeGit } from './history/home-git.ts'
export { editFile, readPlainFile } from './home/edit-file.ts'
export { type Home, type HomeOptions, openHome } from './home/open-home.ts'
export { sessionIds } from './home/session-ids.ts'
export { checkName, isName } from './home/session-name.ts'
export { appendInbox } from './inbox/append-inbox.ts'
export { chooseRoute } from './inbox/choose-route.ts'
export { fillTemplate, isFilled } from './inbox/fill-template.ts'
export { type ReadRoutes, readRoutes } from './inbox/read-routes.ts'
export { type Condition, fieldAt, type Route, type TaskTemplate } from './inbox/route.ts'
export { openRoutes, type RoutesNow } from './inbox/routes-file.ts'
export { daemonLease, isAttended } from './leases/daemon-lease.ts'
export { type HeldLease, holdLease, type LeaseAttempt } from './leases/hold-lease.ts'
export { Leases } from './leases/leases.ts'
export { runningProcess } from './leases/running-process.ts'
export { withLock } from './leases/with-lock.ts'
export { appendLines } from './lines/append-lines.ts'
export { FollowedFile, type Follower } from './lines/followed-file.ts'
export { lineFileName, nameOfLineFile } from './lines/line-file-name.ts'
export type { LineReader, ReadLine, UnreadableLine } from './lines/line-reader.ts'
export { openLineReader } from './lines/open-line-reader.ts'
export { type MailMessage, type MailReceipt, messageOfLine } from './mailboxes/mail-message.ts'
export { mailboxName, mailboxOfFile } from './mailboxes/mailbox-name.ts'
export { type Mailboxes, openMailboxes } from './mailboxes/open-mailboxes.ts'
export { type Outbox, type OutboxOptions, type OutboxRequest, openOutbox } from './outbox/open-outbox.ts'
export type { OutboxEntry, OutboxState } from './outbox/outbox-entry.ts'
export { allowOnly } from './policy/allow-only.ts'
export { type CommandLimits, defaultCommandLimits } from './policy/command-limits.ts'
export { type EffectsRequest, effectsOf, stricterOf } from './policy/effects-of.ts'
export { type Enforcement, type EnforcementOptions, enforcePolicy } from './policy/enforce-policy.ts'
export {
  type LoadedPolicy,
  loadPolicy,
  lookAtProjectPolicy,
  type PolicyRequest,
  type WideningPolicy,
} from './policy/load-policy.ts'
export {
  defaultEffects,
  type Effects,
  openPolicy,
  type PathPatterns,
  type Permission,
  type Policy,
} from './policy/policy.ts'
export type { PolicyLevel } from './policy/read-policy-file.ts'
export { type Restriction, restrictions } from './policy/restrictions.ts'
export { type CancelRequest, requestCancel } from './requests/request-cancel.ts'
export { type RequestWatch, watchRequests } from './requests/watch-requests.ts'
export { fingerprintModule } from './trust/fingerprint-module.ts'
export { type Grant, type Grants, openGrants } from './trust/grants.ts'
export { type ModuleFile, moduleFiles } from './trust/module-files.ts'
export { isHandWritten, wasEditedByCadre } from './trust/own-edits.ts'
export { isEmptyHome, type OwnHomes, openOwnHomes } from './trust/own-homes.ts'
export { resolveModule } from './trust/resolve-module.ts'
export { placesOf, repositoriesAbove, type TrackedFiles, trackedFiles } from './trust/tracked-files.ts'
export { createTrust, type Trust, type TrustItem, type TrustOptions } from './trust/trust.ts'
export {
  beginUnguarded,
  isUnguarded,
  isUnguardedHere,
  keepFiles,
  lookAfterFiles,
  rememberWritten,
  wasWritten,
  wasWrittenIn,
} from './trust/unguarded.ts'
