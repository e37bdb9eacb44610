import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { editJsonKey } from '@cadre/agents'
import { CadreError, sentenceOf } from '@cadre/core'
import { realPathOf } from '@cadre/disk'
import { createTwoFilesPatch } from 'diff'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { defaultScopes, type McpTarget, type McpTargetName, targetOf } from './mcp-targets.ts'

export interface InstallFlags {
  readonly to: McpTargetName
  readonly user?: boolean
  readonly project?: boolean
  readonly remove?: boolean
  readonly dryRun?: boolean
  readonly readOnly?: boolean
  readonly json?: boolean
}

const serverName = 'cadre'

/** `cadre mcp install`. */
export async function installMcp(io: Io, flags: InstallFlags): Promise<ExitCode> {
  if (flags.user && flags.project)
    throw new CadreError('usage', '--user and --project cannot be combined. Choose one of the files.')
  const { to, readOnly } = flags
  const scope = flags.user ? 'user' : flags.project ? 'project' : defaultScopes[to]
  const target = targetOf(io, { to, scope, readOnly })
  const before = readText(target.file)
  const value = flags.remove ? undefined : target.entry
  const edited = editJsonKey({
    path: target.file,
    text: before,
    section: target.section,
    key: serverName,
    value,
  })
  if (edited.kind === 'refused')
    throw new CadreError(
      'configuration',
      `${edited.reason} Cadre changed nothing. Correct the file, then run the command again.`,
      { where: `${target.file}:${edited.line}` },
    )
  const isChanged = edited.text !== (before ?? '')
  if (isChanged && !flags.dryRun) replaceFile(target.file, before, edited.text)
  report(io, { target, flags, isChanged, before: before ?? '', after: edited.text })
  return exitCodes.done
}

interface Installed {
  readonly target: McpTarget
  readonly flags: InstallFlags
  readonly isChanged: boolean
  readonly before: string
  readonly after: string
}

function report(io: Io, { target, flags, isChanged, before, after }: Installed): void {
  const { file, title, next, entry } = target
  if (flags.json) {
    const written = {
      type: 'mcp.installed',
      to: flags.to,
      file,
      changed: isChanged,
      dryRun: flags.dryRun === true,
    }
    io.stdout.write(`${JSON.stringify({ ...written, ...(!flags.remove && { entry }) })}\n`)
    return
  }
  if (!isChanged) {
    io.stdout.write(
      `${file} ${flags.remove ? 'has no server named' : 'already has this entry for'} ${serverName}. Nothing changed.\n`,
    )
    return
  }
  const lines = changedLines(createTwoFilesPatch(file, file, before, after, '', '', { context: 0 })).join(
    '\n',
  )
  const done = flags.remove ? `Removed Cadre from ${title}.` : `Added Cadre to ${title}. ${next}`
  io.stdout.write(`${cleanText(lines)}\n${flags.dryRun ? 'Nothing was written (--dry-run).' : done}\n`)
}

/**
 * The lines of a patch without its first. Omits context, and lines that only got or lost a comma, because other entries can contain
 * secrets.
 */
function changedLines(patch: string): string[] {
  const lines = patch.trimEnd().split('\n').slice(1)
  const bodyOf = (line: string) => line.slice(1).trimEnd().replace(/,$/, '')
  const isKept = (line: string) => {
    const sign = line.startsWith('-') ? '+' : line.startsWith('+') ? '-' : undefined
    return (
      sign !== undefined && lines.some((other) => other.startsWith(sign) && bodyOf(other) === bodyOf(line))
    )
  }
  return lines.filter((line) => line.startsWith('---') || line.startsWith('+++') || !isKept(line))
}

function readText(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file))
  } catch (error) {
    throw new CadreError('configuration', `cannot read this file: ${sentenceOf(error)}`, {
      where: file,
      cause: error,
    })
  }
}

/** Replaces the file as a whole, with its permissions. Refuses if another program has changed it since it was read. */
function replaceFile(file: string, before: string | undefined, text: string): void {
  const place = realPathOf(file)
  const draft = path.join(path.dirname(place), `.${path.basename(place)}.${randomBytes(6).toString('hex')}`)
  try {
    mkdirSync(path.dirname(place), { recursive: true })
    const mode = statSync(place, { throwIfNoEntry: false })?.mode ?? 0o644
    writeFileSync(draft, text, { flag: 'wx', mode: mode & 0o777 })
    if (readText(place) !== before)
      throw new CadreError('configuration', 'another program has changed this file. Run the command again.', {
        where: file,
      })
    renameSync(draft, place)
  } catch (error) {
    rmSync(draft, { force: true })
    if (error instanceof CadreError) throw error
    throw new CadreError('configuration', `cannot write this file: ${sentenceOf(error)}`, {
      where: file,
      cause: error,
    })
  }
}
