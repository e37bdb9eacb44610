/**
 * Asks the questions of MCP servers in this window.
 *
 * 1. One question at a time, in the order in which they arrive: an input box that opens closes the one before.
 * 2. A question whose call has ended is closed, and the next one is asked.
 * 3. An address is shown whole in a dialog, and opened only if the person chooses so.
 */
import {
  type ElicitFromPerson,
  elicitationQuestion,
  type FieldValue,
  type FormField,
  readField,
} from '@cadre/runtime'
import * as vscode from 'vscode'
import { askInDialog } from '../messages.ts'
import { plainMessage } from '../plain-message.ts'
import { tokenOf } from './token-of.ts'

type Answer = Awaited<ReturnType<ElicitFromPerson>>

const open = 'Open Address'
const answer = 'Answer'
const decline = 'Decline'
/** A longer question does not fit into an input box. */
const longestPrompt = 200

export function createElicitInWindow(): ElicitFromPerson {
  let previous: Promise<unknown> = Promise.resolve()
  return (asked, signal) => {
    const mine = previous.then((): Promise<Answer> | Answer =>
      signal.aborted ? { action: 'cancel' } : orCancelled(ask(asked, signal), signal),
    )
    previous = mine.catch(() => undefined)
    return mine
  }
}

async function ask(asked: Parameters<ElicitFromPerson>[0], signal: AbortSignal): Promise<Answer> {
  const question = elicitationQuestion(asked)
  if (question.kind === 'declined') return question.answer
  const { asker, message } = question
  if (question.kind === 'page') {
    const detail = `${message}\n\nIt wants you to open this address:\n\n${question.url}`
    const said = await askInDialog(`${asker} you to open an address.`, detail, open, decline)
    if (said === undefined || signal.aborted) return { action: 'cancel' }
    if (said !== open) return { action: 'decline' }
    const isOpened = await vscode.env.openExternal(asItIs(question.url))
    return { action: isOpened ? 'accept' : 'cancel' }
  }
  const { fields } = question
  const isLong = message.length > longestPrompt || message.includes('\n')
  if (isLong || fields.length === 0) {
    const detail = `${message}\n\nCadre sends your answer to the server. Do not enter secrets.`
    const said = await askInDialog(`${asker}.`, detail, answer, decline)
    if (said === undefined || signal.aborted) return { action: 'cancel' }
    if (said !== answer) return { action: 'decline' }
  }
  const { token, dispose } = tokenOf(signal)
  try {
    const content: Record<string, FieldValue> = {}
    for (const [index, field] of fields.entries()) {
      const step = fields.length === 1 ? '' : ` (${index + 1} of ${fields.length})`
      const shown = isLong ? field.title : `${message} – ${field.title}`
      const value = await askField(field, { title: `${asker}${step}`, prompt: plainMessage(shown) }, token)
      if (value === 'closed') return { action: 'cancel' }
      if (value === decline) return { action: 'decline' }
      if (value !== undefined) content[field.name] = value.value
    }
    return { action: 'accept', content }
  } finally {
    dispose()
  }
}

/** VS Code takes a text, too. A `Uri` would change how the address is encoded, and the person agreed to this one. */
function asItIs(url: string): vscode.Uri {
  return url as unknown as vscode.Uri
}

interface FieldTexts {
  readonly title: string
  readonly prompt: string
}

async function askField(
  field: FormField,
  texts: FieldTexts,
  token: vscode.CancellationToken,
): Promise<{ readonly value: FieldValue } | undefined | 'closed' | typeof decline> {
  const choices =
    field.type === 'boolean'
      ? [
          { value: true, label: 'Yes' },
          { value: false, label: 'No' },
        ]
      : field.choices
  if (choices.length === 0) return typeIn(field, texts, token)
  const items = choices.map(({ label, value }) => ({ label: plainMessage(label), value }))
  // The place holder is one line. The title of the window has the server and the agent.
  const options = { title: texts.title, placeHolder: texts.prompt, ignoreFocusOut: true }
  if (field.type === 'array') {
    const picked = await vscode.window.showQuickPick(items, { ...options, canPickMany: true }, token)
    return picked === undefined ? 'closed' : { value: picked.map(({ value }) => String(value)) }
  }
  const skip = { label: field.isRequired ? decline : 'Skip', value: undefined }
  const picked = await vscode.window.showQuickPick([...items, skip], options, token)
  if (picked === undefined) return 'closed'
  if (picked.value !== undefined) return { value: picked.value }
  return field.isRequired ? decline : undefined
}

async function typeIn(
  field: FormField,
  { title, prompt }: FieldTexts,
  token: vscode.CancellationToken,
): Promise<{ readonly value: FieldValue } | undefined | 'closed'> {
  const hint = field.isRequired ? '' : ' Leave it empty to skip it.'
  const typed = await vscode.window.showInputBox(
    {
      title,
      prompt: `${prompt}.${hint} Cadre sends your answer to the server. Do not enter secrets.`,
      ignoreFocusOut: true,
      validateInput(text) {
        if (text === '') return field.isRequired ? 'Enter a value, or press Escape.' : undefined
        if (readField(field, text) !== undefined) return undefined
        return `This is not ${field.type === 'integer' ? 'an integer' : `a ${field.type}`}.`
      },
    },
    token,
  )
  if (typed === undefined) return 'closed'
  const value = typed === '' ? undefined : readField(field, typed)
  return value === undefined ? undefined : { value }
}

/** A dialog cannot be closed by the extension. Its answer then has no effect. */
async function orCancelled(asked: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  let cancel = () => {}
  const cancelled = new Promise<Answer>((resolve) => {
    cancel = () => resolve({ action: 'cancel' })
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
  })
  return Promise.race([asked, cancelled]).finally(() => signal.removeEventListener('abort', cancel))
}
