import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isFolder, isInside } from '@cadre/disk'
import type { AgentFolder } from '../load/agent-paths.ts'
import { dropFollowOnFindings } from './drop-follow-on-findings.ts'
import { findLikelyAgentFiles, findLintFiles } from './find-lint-files.ts'
import { evaluateHosts } from './hosts/evaluate-hosts.ts'
import type { HostName } from './hosts/host.ts'
import { type Finding, type LintedFile, type LintResult, summaryOf } from './lint-result.ts'
import { agentLocations, createProjectLookup, lintRootOf } from './project-of-file.ts'
import { readSubjects } from './read-subject.ts'
import { duplicateRule } from './rules/duplicate-rules.ts'
import {
  agentsWithoutToolRule,
  handoffRule,
  hookRule,
  limitRangeRule,
  oldSpellingRule,
  valueShapeRule,
} from './rules/key-rules.ts'
import { modelNames } from './rules/model-rules.ts'
import { cycleRule, unreachableAgentRule } from './rules/reach-rules.ts'
import { referenceRule } from './rules/reference-rules.ts'
import { secretRule } from './rules/secret-rules.ts'
import { descriptionRule, nameMismatchRule, needsDescription, promptLengthRule } from './rules/text-rules.ts'
import { toolNameRule } from './rules/tool-rules.ts'
import type { FileRule, LintKnowledge, LintSubject, ProjectRule } from './subject.ts'

export interface LintOptions {
  /** Paths are shown relative to it. */
  readonly cwd: string
  readonly knowledge?: LintKnowledge
  /** The hosts to judge for. Default: all. */
  readonly hosts?: readonly HostName[]
  /** Unsaved text of an editor, by absolute path. Used instead of the file. */
  readonly texts?: ReadonlyMap<string, string>
  /** Absolute paths of other agents in the project. Default: they are searched for. */
  readonly among?: readonly string[]
}

const fileRules: readonly FileRule[] = [
  descriptionRule,
  promptLengthRule,
  nameMismatchRule,
  oldSpellingRule,
  valueShapeRule,
  toolNameRule,
  agentsWithoutToolRule,
  handoffRule,
  hookRule,
  limitRangeRule,
  secretRule,
]

const projectRules: readonly ProjectRule[] = [referenceRule, unreachableAgentRule, cycleRule, duplicateRule]

/** Checks every agent file below a folder. */
export async function lintFolder(folder: string, options: LintOptions): Promise<LintResult> {
  const { files, outside, endless } = findLintFiles(folder)
  const scope = { top: folder, covers: (project: string) => isInside(folder, project), isNamed: false }
  const linted = await lint(files, scope, options)
  const all = [...linted, ...outside.map((file) => externalLinkFinding(shownPath(options.cwd, file)))]
  all.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files: all, summary: summaryOf(all), endless: endless ? [folder] : [] }
}

/** Checks these files, whatever their names. */
export async function lintFiles(files: readonly string[], options: LintOptions): Promise<LintResult> {
  const byTop = new Map<string, string[]>()
  for (const file of files) {
    const top = lintRootOf(file)
    byTop.set(top, byTop.get(top) ?? [])
    byTop.get(top)?.push(file)
  }
  const linted: LintedFile[] = []
  for (const [top, together] of byTop)
    linted.push(...(await lint(together, { top, covers: () => false, isNamed: true }, options)))
  return { files: linted, summary: summaryOf(linted), endless: [] }
}

interface Scope {
  readonly top: string
  /** True if the given files include all files in a project; otherwise the others are searched, to find their agents. */
  readonly covers: (project: string) => boolean
  /** Each file was named explicitly, so all of them are reported. */
  readonly isNamed: boolean
}

/** Yields between files, because an editor runs this in the process of all its extensions. */
async function lint(
  files: readonly string[],
  { top, covers, isNamed }: Scope,
  { cwd, knowledge = {}, hosts, texts, among }: LintOptions,
): Promise<LintedFile[]> {
  const membershipOf = createProjectLookup(top)
  const subjectsOf = (file: string) => {
    const text = texts?.get(file)
    const request = { path: file, shown: shownPath(cwd, file), membership: membershipOf(file) }
    return readSubjects(text === undefined ? request : { ...request, text })
  }
  const all: (readonly [LintSubject, ...LintSubject[]])[] = []
  for (const file of files) {
    all.push(subjectsOf(file))
    await setImmediate()
  }
  const read = all.filter(([first]) => isNamed || first.read.ignored !== true)
  const subjects = read.flat()
  const findings = new Map<LintSubject, Finding[]>()
  for (const subject of subjects) {
    const own = [...fromReader(subject), ...fileRules.flatMap((rule) => [...rule(subject, knowledge)])]
    findings.set(subject, [...own, ...(await modelNames(subject, knowledge))])
    await setImmediate()
  }
  for (const [project, members] of byProject(subjects)) {
    const isNeighbour = (file: string) =>
      !members.some((member) => member.path === file) && membershipOf(file).project === project
    const neighbours = () => among?.filter(isNeighbour) ?? neighboursOf(project, members)
    const others = covers(project) ? [] : neighbours().flatMap(subjectsOf)
    for (const rule of projectRules)
      for (const { subject, finding } of rule([...members, ...others], knowledge))
        findings.get(subject)?.push(finding)
  }
  return read.map((ofFile) => {
    const found = ofFile.flatMap((subject) => dropFollowOnFindings(findings.get(subject) ?? []))
    return fileOf(ofFile, found, hosts)
  })
}

function fileOf(
  subjects: readonly [LintSubject, ...LintSubject[]],
  findings: readonly Finding[],
  wanted: readonly HostName[] | undefined,
): LintedFile {
  const [subject] = subjects
  const { shown, dialect, read } = subject
  const hosts = evaluateHosts(subject, wanted)
  const names = subjects.flatMap((one) => one.read.agent?.name ?? [])
  return {
    path: shown,
    dialect,
    status: statusOf(subjects),
    ...(read.agent !== undefined && dialect !== 'settings' && { agent: read.agent.name }),
    ...(dialect === 'settings' && { agents: names }),
    diagnostics: findings.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)),
    ...(hosts !== undefined && { hosts }),
  }
}

/** For settings with several agents, a skipped agent makes the file `rescued`. */
function statusOf([first, ...others]: readonly [LintSubject, ...LintSubject[]]): LintedFile['status'] {
  if (first.read.agent === undefined || first.isUseless) return 'failed'
  const isWhole = ({ read }: LintSubject) =>
    !read.rescued &&
    read.agent !== undefined &&
    !read.diagnostics.some(({ severity }) => severity === 'error')
  if (others.length === 0 && first.dialect !== 'settings') return first.read.rescued ? 'rescued' : 'ok'
  return [first, ...others].every(isWhole) ? 'ok' : 'rescued'
}

const fileForPeople: Finding = {
  severity: 'error',
  code: 'file-for-people',
  line: 1,
  message: 'This is documentation, not an agent: it has no agent header.',
}

/** Omits findings that a rule reports more precisely. */
function fromReader({ read, dialect }: LintSubject): Finding[] {
  if (read.ignored === true) return [fileForPeople]
  const isSaid = read.agent?.description === '' && needsDescription(dialect)
  return read.diagnostics
    .filter(({ code }) => code !== 'description-missing' || !isSaid)
    .map(({ path: _, ...finding }) => finding)
}

function byProject(subjects: readonly LintSubject[]): Map<string, LintSubject[]> {
  const groups = new Map<string, LintSubject[]>()
  for (const subject of subjects) {
    const { project } = subject.membership
    const group = groups.get(project)
    if (group === undefined) groups.set(project, [subject])
    else group.push(subject)
  }
  return groups
}

function externalLinkFinding(shown: string): LintedFile {
  return {
    path: shown,
    dialect: 'unknown',
    status: 'failed',
    diagnostics: [
      {
        severity: 'error',
        code: 'link-outside',
        line: 1,
        message: 'This file is a symbolic link to a file outside the folder, so lint did not read it.',
        fix: 'To check the file, pass its own path to lint.',
      },
    ],
  }
}

/** With `/`, relative to the current folder if the file is below it. */
export function shownPath(cwd: string, file: string): string {
  const relative = path.relative(cwd, file)
  const isBelow = !relative.startsWith('..') && !path.isAbsolute(relative)
  return (isBelow ? relative : file).split(path.sep).join('/')
}

/** Returns other agent files in a project if only some are checked, because they may refer to each other. */
function neighboursOf(project: string, members: readonly LintSubject[]): string[] {
  const known = new Set(members.map((member) => member.path))
  const places = new Set([...agentLocations(project).map(folderOf), ...members.map(placeOf)])
  const beside = members
    .filter(({ membership }) => membership.level === undefined)
    .map(({ path: at }) => path.dirname(at))
  const found = [
    ...[...places].flatMap((place) => (isFolder(place) ? findLintFiles(place).files : [])),
    ...[...new Set(beside)].flatMap((place) => (isFolder(place) ? findLikelyAgentFiles(place) : [])),
  ]
  return [...new Set(found)].filter((file) => !known.has(file))
}

function folderOf({ at, dialect }: AgentFolder): string {
  return dialect.format === 'settings' ? path.dirname(at) : at
}

function placeOf({ membership }: LintSubject): string {
  return path.resolve(membership.place)
}
