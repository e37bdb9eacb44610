/** Owns the keyboard while a run is active. Asks one question at a time; the live tree is hidden meanwhile. */
import { type Answer, isObject, type JsonObject, messageOf, type Question, requirementOf } from '@cadre/core'
import { actionLines, approvalContent, isVisible, type RulePlan, shownText } from '@cadre/gate'
import { describeRequirement } from '@cadre/home'
import type { AskPerson } from '@cadre/runtime'
import { personName } from '@cadre/runtime'
import type { Io } from '../io.ts'
import { cleanLine, cleanText } from '../output/clean-text.ts'
import { diffText, type FileChange } from '../output/diff/diff-text.ts'
import type { Style } from '../output/style.ts'
import { textWidth } from '../output/text-width.ts'
import { wrapForTerminal } from '../output/wrap-for-terminal.ts'
import { readLine } from './ask-line.ts'

export interface AskOptions {
  readonly io: Io
  readonly style: Style
  readonly screen: {
    /** Prepares for a question. Resolves when the keyboard is free, and earlier input is discarded. */
    lend(): Promise<void>
    reclaim(): void
  }
  /** What Ctrl-C does: while a question is read, the terminal sends it to the reader and not to the process. */
  readonly interrupt: () => void
  /** The call's changes to files, if they can be computed. */
  readonly preview?: (session: string, question: Question) => Promise<readonly FileChange[] | undefined>
}

/** Asks in the terminal. Undefined if the person decides later: the run is then suspended. */
export function createAskPerson(options: AskOptions): AskPerson {
  let previous: Promise<unknown> = Promise.resolve()
  return (session, question, signal, planRule) => {
    const plan = planFor(question, planRule)
    const mine = previous.then(() =>
      signal.aborted ? undefined : ask(options, { session, question, plan }, signal),
    )
    previous = mine.catch(() => undefined)
    return mine
  }
}

interface AskedQuestion {
  readonly session: string
  readonly question: Question
  readonly plan: Ready | undefined
}

type Ready = Extract<RulePlan, { kind: 'ready' }>

/** Not a choice of the question: the rule is written here, and the call is approved once. */
const rule = 'rule'

/** The answers about a call in doubt, because their words alone do not say what happens next. */
const meanings: { readonly [choice: string]: string } = {
  done: 'The call was carried out. Cadre does not run it again, and the agent continues.',
  again: 'The call had no effect. Cadre runs it again.',
  leave: 'You do not know. Cadre does not run it again, and asks the agent to check.',
}

function meaningOf(choice: string): string[] {
  const meaning = Object.hasOwn(meanings, choice) ? meanings[choice] : undefined
  return meaning === undefined ? [] : [`  ${choice}: ${meaning}`]
}

async function ask(
  options: AskOptions,
  { session, question, plan }: AskedQuestion,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const { io, style, screen, interrupt } = options
  await screen.lend()
  try {
    if (signal.aborted) return undefined
    const changes = await options.preview?.(session, question).catch(() => undefined)
    const detail = detailOf(question, diffLines(changes, options), io)
    const head = `${style.yellow('?')} ${cleanLine(headOf(question))} ${style.dim(`(session ${session})`)}`
    io.stdout.write(`\n${wrapForTerminal(io.stdout, head)}\n`)
    if (detail !== '') io.stdout.write(`${detail}\n`)
    const words = plan === undefined ? question.choices : [...question.choices, rule]
    const explained = words.some((word) => Object.hasOwn(meanings, word)) ? ' · ? for help' : ''
    const promptWith = (hint: string) => {
      const choices = words.map((word, index) => `${index + 1} ${word}${word === 'reject' ? hint : ''}`)
      return `  ${choices.join(' · ')}${explained} · Enter to decide later: `
    }
    // Without the hint, people who enter only the number type the reason into their shell.
    const hinted = promptWith(' [reason]')
    const prompt = textWidth(hinted) < (io.stdout.stream.columns || 80) ? hinted : promptWith('')
    for (;;) {
      const said = await readLine(io, prompt, { signal, interrupt })
      // Decided elsewhere, or stopped: ends the line.
      if (signal.aborted) io.stdout.write('\n')
      if (said === undefined || said === '') return undefined
      const [word = '', ...reason] = said.split(/\s+/)
      const decision = words[Number(word) - 1] ?? uniqueChoice(words, word)
      if (decision === rule && plan !== undefined) {
        if (await addRule(options, plan, signal)) return { decision: 'approve', ...currentUser(io) }
        continue
      }
      if (decision !== undefined)
        return { decision, ...currentUser(io), ...(reason.length > 0 && { reason: reason.join(' ') }) }
      const help = `  Type a number or one of: ${words.join(', ')}. Text after it is the reason.`
      const lines = [...(word === '?' ? words.flatMap(meaningOf) : []), help]
      io.stdout.write(`${lines.map((line) => wrapForTerminal(io.stdout, line)).join('\n')}\n`)
    }
  } finally {
    screen.reclaim()
  }
}

/** Shows the rule and writes it if the person agrees. */
async function addRule({ io, interrupt }: AskOptions, plan: Ready, signal: AbortSignal): Promise<boolean> {
  io.stdout.write(`${wrapForTerminal(io.stdout, ruleText(plan))}\n`)
  if (plan.lines.length === 0) return true
  const said = await readLine(io, '  Add this rule? y/N: ', { signal, interrupt })
  if (!/^y(?:es)?$/i.test(said ?? '')) return false
  try {
    await plan.write()
    return true
  } catch (error) {
    io.stdout.write(`  ${cleanLine(messageOf(error))}\n`)
    return false
  }
}

/** Describes a rule in words. */
export function ruleText({ path, lines }: Ready): string {
  if (lines.length === 0) return `  ${cleanLine(path)} already contains this rule.`
  const shown = lines.map((line) => `    ${cleanLine(line)}`).join('\n')
  return `  This rule will be added to ${cleanLine(path)}:\n${shown}\n  Agents can then run commands that start with these words without approval.`
}

function planFor(question: Question, planRule: Parameters<AskPerson>[3]): Ready | undefined {
  const { detail } = question
  if (planRule === undefined || typeof detail !== 'object' || detail === null || !('grants' in detail))
    return undefined
  const grants = Array.isArray(detail['grants']) ? detail['grants'].map(String) : []
  if (grants.length === 0) return undefined
  try {
    const plan = planRule(grants)
    return plan.kind === 'ready' ? plan : undefined
  } catch {
    // An unreadable allowlist does not prevent the question.
    return undefined
  }
}

function currentUser(io: Io): { by?: string } {
  const by = personName(io.env)
  return by === undefined ? {} : { by }
}

/** The question in one line. Arguments may be long, so they are shown once, below. */
function headOf({ text, kind, detail }: Question): string {
  const { agent, tool, reason } = isObject(detail) ? detail : {}
  if (kind === 'doubt') return typeof reason === 'string' ? reason : text
  if (typeof agent !== 'string' || typeof tool !== 'string') return text
  return `${agent} wants to use ${tool}: ${typeof reason === 'string' ? reason : ''}`
}

/** The complete request, so that nobody decides by a name alone. Invisible characters are made visible. */
function detailOf(question: Question, diff: readonly string[], { stdout }: Io): string {
  const { detail } = question
  if (!isObject(detail)) return ''
  const content = approvalContent(question, '')
  const action = diff.length > 0 ? diff : actionLines(content).map(cleanText)
  // The action is shown unchanged: an added line break could change its meaning.
  const about = questionLines(content, detail).map((line) => wrapForTerminal(stdout, `  ${cleanText(line)}`))
  return [...action.map((line) => `  ${line}`), ...about].join('\n')
}

/** The complete changes as diffs. Undefined if they contain invisible characters: then the arguments are shown as JSON. */
function diffLines(changes: readonly FileChange[] | undefined, { io, style }: AskOptions): string[] {
  const texts = changes?.flatMap(({ path, before = '', after = '' }) => [path, before, after]) ?? []
  if (changes === undefined || !texts.every(isVisible)) return []
  const columns = io.stdout.stream.columns || 80
  return changes.flatMap((change) => diffText(change, { columns, style, isWhole: true }))
}

function questionLines(
  { risk, reasons, grants }: ReturnType<typeof approvalContent>,
  detail: JsonObject,
): string[] {
  const { rule, by, reason } = detail
  const need = requirementOf(detail)
  // The question itself gives the reason.
  const others = reasons.filter((one) => !(typeof reason === 'string' && reason.includes(one)))
  const why = others.length > 0 ? `: ${others.join(' · ')}` : ''
  return [
    ...(risk === undefined ? [] : shownText('Risk', `${risk}${why}`)),
    ...(typeof rule === 'string' ? shownText('Rule', typeof by === 'string' ? `${rule} (${by})` : rule) : []),
    ...(need === undefined ? [] : shownText('Needs', describeRequirement(need))),
    ...(grants.length > 0 ? shownText('For the session', grants.join(' · ')) : []),
  ]
}

function uniqueChoice(choices: readonly string[], beginning: string): string | undefined {
  const exact = choices.find((choice) => choice.toLowerCase() === beginning.toLowerCase())
  if (exact !== undefined) return exact
  const fitting = choices.filter((choice) => choice.toLowerCase().startsWith(beginning.toLowerCase()))
  if (fitting.length === 1) return fitting[0]
  if (/^y(?:es)?$/i.test(beginning)) return choices.find((choice) => choice === 'approve')
  return /^no?$/i.test(beginning) ? choices.find((choice) => choice === 'reject') : undefined
}
