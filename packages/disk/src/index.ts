export {
  appendBytes,
  entriesIn,
  entryAt,
  hasCode,
  isFolder,
  isInside,
  linkTarget,
  listFolder,
  makeFolder,
  namesIn,
  openRegularFile,
  openWithoutLinks,
  ownerOnly,
  readRegularFile,
  realPathIfExists,
  realPathOf,
  realPathOrSelf,
  syncPath,
  syncPaths,
  unlinkIfExists,
  writeFully,
} from './files/files.ts'
export { readInsideFolder } from './files/read-inside-folder.ts'
export { isRepository, repositoryOf } from './files/repository-of.ts'
export { isSame as isSameStamp, type Stamp, stampOf, statsAt } from './files/stamp.ts'
export { type FolderWatch, watchFolder } from './files/watch-folder.ts'
export { addWorktree } from './git/add-worktree.ts'
export { applyTree } from './git/apply-tree.ts'
export { type ChangedPaths, changedPaths } from './git/changed-paths.ts'
export { commitIndex, commitOf, commitTree, treeOf } from './git/commit-index.ts'
export { diffNames } from './git/diff-names.ts'
export { findGit } from './git/find-git.ts'
export { type GitRequest, git, gitBytes, tryGit } from './git/git.ts'
export { ignoredFilesIn, ignoredInIndex, ignoredPaths } from './git/ignored-paths.ts'
export { isFile } from './git/is-file.ts'
export { type MergeSides, mergeTrees } from './git/merge-trees.ts'
export { nonEmptySubmodules } from './git/non-empty-submodules.ts'
export { type Repository, repositoryAt } from './git/repository-at.ts'
export { safeGitSettings } from './git/safe-git-settings.ts'
export { stagePaths } from './git/stage-paths.ts'
export { removeStaleLock } from './git/stale-lock.ts'
export { takeSnapshot } from './git/take-snapshot.ts'
export { type ChangedEntry, changedEntries, treeWithout, withIndexOf } from './git/tree-of-entries.ts'
export { userIgnores } from './git/user-ignores.ts'
export { pause } from './system/abortable-pause.ts'
export { createConnectionSlots } from './system/connection-slots.ts'
export { findInPath } from './system/find-in-path.ts'
export {
  heartbeatLimit,
  isAlive,
  isRunning,
  isSameBoot,
  type ProcessIdentity,
  thisProcess,
} from './system/process-identity.ts'
export { startProcess } from './system/start-process.ts'
export { systemClock } from './system/system-clock.ts'
export { isOutOfFileDescriptors, systemErrorCode } from './system/system-error-code.ts'
export { currentUser, userOf } from './system/system-user.ts'
export { decodeText } from './text/decode-text.ts'
export { escapeRegex } from './text/escape-regex.ts'
export { glob, type Matcher } from './text/glob.ts'
export {
  isBlank,
  type Line,
  type LinesRange,
  lineEndingOf,
  linesAfterByteOrderMark,
  linesOf,
  widthOf,
} from './text/lines-of.ts'
export { maskSecrets, maskValues, mayContainSecret, secretValues } from './text/mask-secrets.ts'
export { maskUserinfo } from './text/mask-userinfo.ts'
export { matchesPattern } from './text/matches-pattern.ts'
export { type RawText, rawOf, textOf } from './text/raw-text.ts'
export { appendSetting } from './yaml/append-setting.ts'
export { type Diagnostic, showDiagnostic } from './yaml/diagnostic.ts'
export { type Located, readYaml } from './yaml/located.ts'
export { removeSetting } from './yaml/remove-setting.ts'
export { flow, isPlain, quoted, scalar } from './yaml/scalar.ts'
export { setSetting } from './yaml/set-setting.ts'
export { isTooDeep, resolveAlias, scalarText, yamlParser } from './yaml/yaml-parser.ts'
export { yamlText } from './yaml/yaml-text.ts'
