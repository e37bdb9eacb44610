import type { PlannedFile, UndoPlan } from '@cadre/workspaces'
import { cleanLine } from '../../output/clean-text.ts'
import { formatCount } from '../../output/numbers.ts'

/** The maximum number of files listed. */
const maxFiles = 40

/** Describes an undo or redo, as lines for a screen. File names come from agents, so control characters are removed. */
export function planText(plan: UndoPlan): string {
  const { direction, session, prompt, folder, files, notices } = plan
  const verb = direction === 'undo' ? 'Undo' : 'Redo'
  const turn = prompt === '' ? 'a turn' : `the turn ${JSON.stringify(shortenPrompt(prompt))}`
  const shown = files.slice(0, maxFiles).map(fileLine)
  const rest = files.length > maxFiles ? [`  … and ${formatCount(files.length - maxFiles, 'more file')}`] : []
  const nothing = files.length === 0 ? ['  No file needs to change.'] : []
  const head = `${verb} ${turn} of session ${session} in ${folder}:`
  return text([cleanLine(head), ...shown, ...rest, ...nothing, ...notices.map(cleanLine)])
}

function fileLine({ path, action, added, removed }: PlannedFile): string {
  const counts = added === undefined || removed === undefined ? '' : `  +${added} -${removed}`
  return `  ${action}  ${cleanLine(path)}${counts}`
}

/** Explains why nothing was changed, and what the user can do. */
export function conflictText({ conflicts, incomplete, direction }: UndoPlan): string {
  const files = conflicts
    .slice(0, maxFiles)
    .map(({ path, reason }) => `  ${cleanLine(path)} ${cleanLine(reason)}`)
  const rest =
    conflicts.length > maxFiles ? [`  … and ${formatCount(conflicts.length - maxFiles, 'more file')}`] : []
  const why =
    incomplete === undefined ? [] : [`Not all changes in this turn were recorded: ${cleanLine(incomplete)}.`]
  const isForced = conflicts.every(({ canForce }) => canForce)
  const ways = [
    ...(isForced ? ['replace these files too with --force'] : []),
    'restore only the other files with --skip-changed',
  ]
  const advice =
    conflicts.length === 0
      ? [`${capitalise(direction)} the recorded changes with --force.`]
      : [`You can ${ways.join(', or ')}.`]
  return text(['Nothing was changed.', ...why, ...files, ...rest, ...advice])
}

function shortenPrompt(prompt: string): string {
  const line = prompt.split('\n')[0] ?? ''
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

function capitalise(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
