import { checkSchema, type JsonSchema, messageOf } from '@cadre/core'
import { shownLine } from '@cadre/gate'
import { declineWithoutAsking, type ElicitationAnswer } from '@cadre/mcp'
import {
  type ElicitationQuestion,
  type ElicitFromPerson,
  elicitationQuestion,
  type FieldValue,
  type FormField,
} from '@cadre/runtime'
import type { PermissionOption } from './acp-types.ts'
import { chooseInEditor } from './choose-in-editor.ts'
import type { Editor } from './editor.ts'
import { elicitationSchema } from './elicitation-schema.ts'
import type { SessionUpdates } from './session-updates.ts'

export interface ElicitOptions {
  readonly editor: Editor
  /** The editor's session. */
  readonly sessionId: string
  readonly updates: Pick<SessionUpdates, 'cardOf'>
  /** The id of a new card. */
  readonly newCard: () => string
  /** True if the editor has disconnected. */
  readonly isLeaving: () => boolean
}

type Form = Extract<ElicitationQuestion, { kind: 'form' }>
type Asked = Parameters<ElicitFromPerson>[0]

const mostOptions = 20
const decline: PermissionOption = { optionId: 'decline', name: 'Decline', kind: 'reject_once' }

/**
 * Asks an MCP server's question in the editor: as a form if the editor supports forms, otherwise as a permission request if there are only a
 * few possible answers. A question that contains an address is always a permission request. It shows the full address, and the person opens it.
 */
export function createElicitInEditor(options: ElicitOptions): ElicitFromPerson {
  const { editor, isLeaving } = options
  return async (asked, signal) => {
    const question = elicitationQuestion(asked)
    if (question.kind === 'declined') return question.answer
    if (isLeaving()) return { action: 'cancel' }
    try {
      if (question.kind === 'form' && editor.capabilities.elicitation?.form != null)
        return await askForm(asked, question, options, signal)
      return await askChoice(asked, question, options, signal)
    } catch (error) {
      if (signal.aborted || isLeaving()) return { action: 'cancel' }
      return declineWithoutAsking(asked, `the editor did not answer: ${shownLine(messageOf(error), 200)}`)
    }
  }
}

async function askForm(
  asked: Asked,
  { asker, message, fields }: Form,
  { editor, sessionId, updates }: ElicitOptions,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const requestedSchema = elicitationSchema(fields)
  if (requestedSchema === undefined)
    return declineWithoutAsking(asked, 'the form has a field that editors cannot show')
  const [caller, another] = asked.callers
  const place =
    caller !== undefined && another === undefined
      ? updates.cardOf(caller.session, caller.call)
      : { sessionId }
  const answer = await editor.elicit(
    {
      mode: 'form',
      ...place,
      message: `${shownLine(asker, 200)}:\n\n${message}\n\nCadre sends your answers to the server. Do not enter secrets.`,
      requestedSchema,
    },
    signal,
  )
  if (answer.action !== 'accept') return { action: answer.action === 'cancel' ? 'cancel' : 'decline' }
  const content = (answer.content ?? {}) as { readonly [name: string]: unknown }
  const issues = checkSchema(requestedSchema as unknown as JsonSchema, content)
  if (issues.length > 0) return declineWithoutAsking(asked, "the editor's answer does not match the form")
  const known = fields.flatMap(({ name }) =>
    content[name] === undefined ? [] : [[name, content[name] as FieldValue] as const],
  )
  return { action: 'accept', content: Object.fromEntries(known) }
}

async function askChoice(
  asked: Asked,
  question: Exclude<ElicitationQuestion, { kind: 'declined' }>,
  { editor, sessionId, newCard }: ElicitOptions,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  const answers = question.kind === 'page' ? [opened] : answersOf(question.fields)
  if (answers === undefined)
    return declineWithoutAsking(
      asked,
      `${editor.name} does not support forms. Run the agent in a terminal to answer`,
    )
  const { asker, message } = question
  const text =
    question.kind === 'page'
      ? `${asker}:\n\n${message}\n\nThe server asks you to open this address. Cadre does not open it:\n\n${question.url}`
      : `${asker}:\n\n${[message, ...question.fields.map(({ title }) => title)].join('\n\n')}\n\nCadre sends your answer to the server.`
  const chosen = await chooseInEditor(
    {
      title: shownLine(`${asker}: ${question.kind === 'page' ? question.url : message}`, 4_000),
      text,
      options: [...answers.map(({ option }) => option), decline],
      sessionId,
      toolCallId: newCard(),
    },
    editor,
    signal,
  )
  if (chosen === undefined) return { action: 'cancel' }
  const answer = answers.find(({ option }) => option.optionId === chosen)
  return answer === undefined ? { action: 'decline' } : { action: 'accept', content: answer.content }
}

interface PreparedAnswer {
  readonly option: PermissionOption
  readonly content: { readonly [name: string]: FieldValue }
}

const opened: PreparedAnswer = {
  option: { optionId: 'opened', name: 'I opened it and finished', kind: 'allow_once' },
  content: {},
}

/** The possible answers to a form that offers only a few choices: no field, a yes or no, or one list. */
function answersOf([field, another]: readonly FormField[]): readonly PreparedAnswer[] | undefined {
  const answer = (optionId: string, name: string, value?: FieldValue): PreparedAnswer => ({
    option: { optionId, name, kind: 'allow_once' },
    content: field === undefined || value === undefined ? {} : { [field.name]: value },
  })
  if (field === undefined) return [answer('accept', 'Accept')]
  if (another !== undefined) return undefined
  if (field.type === 'boolean') return [answer('yes', 'Yes', true), answer('no', 'No', false)]
  const { choices } = field
  if (field.type !== 'string' || choices.length === 0 || choices.length > mostOptions) return undefined
  return choices.map(({ value, label }, index) => answer(`choice-${index}`, shownLine(label, 80), value))
}
