import { CadreError, type JsonObject } from '@cadre/core'
import {
  chooseRoute,
  fillTemplate,
  type InboxRoute,
  isTemplateFilled,
  recordRequesters,
  type TaskTemplate,
  unknownRequester,
} from '@cadre/home'
import type { NewTask } from '@cadre/tasks'
import type { DaemonContext } from '../daemon-context.ts'
import { sessionName, shortHash } from './inbox-session-name.ts'
import { type IncomingLine, messageText } from './message-text.ts'

/** Where the Slack channel writes messages. */
const slackFile = 'slack-messages'
/** How the ids of lines from the HTTP API start. */
export const httpPrefix = 'http/'

/** The operation on task files that the inbox needs. */
export interface TaskAdder {
  add(file: string, task: NewTask): Promise<{ readonly id: string }>
  find(id: string): unknown
}

export interface LineHandler extends Pick<DaemonContext, 'home' | 'sessions' | 'note' | 'agents'> {
  readonly tasks?: TaskAdder | undefined
}

/**
 * Applies the routes to one line. Safe to repeat, because all ids are derived from the line. Rejects if that is not possible now; the line
 * and those after it then wait.
 */
export async function handleLine(
  line: IncomingLine & { readonly number: number },
  routes: readonly InboxRoute[],
  handler: LineHandler,
): Promise<'routed' | 'unrouted'> {
  const { file, id, data, number } = line
  const place = `inbox/${file}.jsonl:${number}`
  const seen = { file: `inbox/${file}.jsonl`, line: number, id }
  const route = chooseRoute(routes, file, data)
  if (route === undefined) {
    handler.note({
      type: 'message.unrouted',
      message: `No route in inbox/routes.yaml matches ${place}.`,
      ...seen,
    })
    return 'unrouted'
  }
  const by = { route: `inbox/routes.yaml:${route.line}` }
  if (route.kind === 'drop') {
    handler.note({
      type: 'message.dropped',
      message: `${place} was dropped by ${by.route}.`,
      ...seen,
      ...by,
    })
    return 'routed'
  }
  if (route.kind === 'task') {
    const task = await addTask(line, route.task, handler)
    const message = `${place} became the task ${task} in tasks/${route.task.file}.`
    handler.note({ type: 'message.received', message, ...seen, ...by, task })
    return 'routed'
  }
  const { agent, session } = await deliverToAgent(line, route, handler)
  const message = `${place} was delivered to ${agent} (session ${session}).`
  handler.note({ type: 'message.received', message, ...seen, ...by, agent, session })
  return 'routed'
}

async function deliverToAgent(
  line: IncomingLine,
  route: Extract<InboxRoute, { kind: 'agent' }>,
  { agents, sessions }: LineHandler,
): Promise<{ agent: string; session: string }> {
  const { file, id, data } = line
  const agent = agents.get(route.to)?.name
  if (agent === undefined) {
    const reason = `There is no agent named ${JSON.stringify(route.to)}, so its messages stay queued.`
    throw new CadreError('configuration', reason, { where: `inbox/routes.yaml:${route.line}` })
  }
  const message = `inbox/${file}/${id}`
  const people = giversOf(line)
  const work = {
    content: messageText(line, route.text),
    from: file,
    message,
    ...(people.length > 0 && { by: people }),
  }
  const { conversation } = route
  const isOwn = conversation === undefined || !isTemplateFilled(conversation, data)
  const about = isOwn ? [message] : ['conversation', file, fillTemplate(conversation, data)]
  const session = sessionName(agent, ...about)
  const [first] = people
  await sessions.tell(session, work, { agent, ...(first !== undefined && { startedBy: first }) })
  return { agent, session }
}

/**
 * The person who sent a line, if Cadre knows. A line with such an id comes from the HTTP API, whatever file it is in. Other lines in the
 * file of Slack come from a request that Slack has signed.
 */
function giversOf({ file, id, data }: IncomingLine): readonly string[] {
  const { starter, user } = data
  if (id.startsWith(httpPrefix))
    return [typeof starter === 'string' && starter !== '' ? starter : unknownRequester]
  return file === slackFile && typeof user === 'string' ? [`slack:${user}`] : []
}

const maxTitleLength = 200

async function addTask(
  line: IncomingLine,
  template: TaskTemplate,
  { home, tasks }: LineHandler,
): Promise<string> {
  if (tasks === undefined)
    throw new CadreError(
      'configuration',
      'this daemon cannot add tasks, so messages for this route stay queued.',
    )
  const { file, id, data } = line
  const task = `task-${shortHash(file, id)}`
  if (tasks.find(task) !== undefined) return task
  const words = (templates: readonly string[]) =>
    templates.map((one) => fill(one, data)).filter((word) => /^[\p{L}\p{N}_.-]{1,100}$/u.test(word))
  const title = fill(template.title, data).slice(0, maxTitleLength)
  const fields = Object.entries(template.fields).map(
    ([key, text]) => [key, fillTemplate(text, data)] as const,
  )
  recordRequesters(home, 'task', task, giversOf(line))
  await tasks.add(template.file, {
    id: task,
    title: title === '' ? `A message in inbox/${file}.jsonl` : title,
    who: words(template.who),
    tags: words(template.tags),
    ...(template.priority && { priority: template.priority }),
    fields: {
      ...Object.fromEntries(fields.filter(([, text]) => text !== '')),
      // Tells the agent that the text comes from outside.
      source: `inbox/${file}.jsonl ${id}`.slice(0, 300),
    },
  })
  return task
}

/** Fills a template on one line. */
function fill(template: string, data: JsonObject): string {
  return fillTemplate(template, data)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}
