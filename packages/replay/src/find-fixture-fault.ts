import type { Json, JsonObject } from '@cadre/core'
import { fixtureVersion } from './fixture.ts'

/** The first error in a fixture's content, with its location: `sessions[1].entries[4].content must be a string`. */
export function findFixtureFault(value: Json): string | undefined {
  try {
    checkFixture(value)
    return undefined
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}

class Fault extends Error {}

const statuses = ['completed', 'incomplete', 'error', 'cancelled']

function checkFixture(value: Json): void {
  const fixture = object(value, 'the file')
  if (fixture['version'] !== fixtureVersion) throw new Fault(`version must be ${fixtureVersion}`)
  const run = object(fixture['run'], 'run')
  for (const key of ['agent', 'model']) string(run[key], `run.${key}`)
  checkMessage(object(run['work'], 'run.work'), 'run.work')
  if (run['team'] !== undefined) string(run['team'], 'run.team')
  for (const key of ['targets', 'allow'])
    list(run[key] ?? [], `run.${key}`).forEach((item, index) => void string(item, `run.${key}[${index}]`))
  list(run['history'] ?? [], 'run.history').forEach((item, index) => {
    const said = object(item, `run.history[${index}]`)
    string(said['content'], `run.history[${index}].content`)
    string(said['role'], `run.history[${index}].role`)
  })
  for (const key of ['limits', 'controls', 'outputSchema'])
    if (run[key] !== undefined) object(run[key], `run.${key}`)
  const sessions = list(fixture['sessions'], 'sessions')
  if (sessions.length === 0) throw new Fault('sessions must not be empty')
  sessions.forEach((session, index) => {
    checkSession(object(session, `sessions[${index}]`), `sessions[${index}]`, index)
  })
}

function checkSession(session: JsonObject, at: string, index: number): void {
  for (const key of ['agent', 'model', 'systemPrompt']) string(session[key], `${at}.${key}`)
  object(session['definition'], `${at}.definition`)
  if (session['isolation'] !== undefined) object(session['isolation'], `${at}.isolation`)
  const { parent } = session
  if (parent !== undefined) {
    const above = object(parent, `${at}.parent`)
    string(above['call'], `${at}.parent.call`)
    const number = above['session']
    if (!Number.isInteger(number) || Number(number) < 1 || Number(number) > index)
      throw new Fault(`${at}.parent.session must be the number of an earlier session`)
  }
  list(session['entries'], `${at}.entries`).forEach((entry, place) => {
    checkEntry(object(entry, `${at}.entries[${place}]`), `${at}.entries[${place}]`)
  })
}

function checkEntry(entry: JsonObject, at: string): void {
  if (!Number.isInteger(entry['seq'])) throw new Fault(`${at}.seq must be an integer`)
  switch (entry['role']) {
    case 'user':
      checkMessage(entry, at)
      return
    case 'assistant':
      if (entry['content'] !== null) string(entry['content'], `${at}.content`)
      list(entry['tool_calls'] ?? [], `${at}.tool_calls`).forEach((item, index) => {
        const call = object(item, `${at}.tool_calls[${index}]`)
        string(call['id'], `${at}.tool_calls[${index}].id`)
        const called = object(call['function'], `${at}.tool_calls[${index}].function`)
        for (const key of ['name', 'arguments'])
          string(called[key], `${at}.tool_calls[${index}].function.${key}`)
      })
      checkUsage(entry, at)
      return
    case 'tool_result':
      string(entry['tool_call_id'], `${at}.tool_call_id`)
      checkUsage(entry, at)
      checkMessage(entry, at)
      return
    case 'event':
      string(entry['type'], `${at}.type`)
      if (entry['content'] !== undefined) string(entry['content'], `${at}.content`)
      if (entry['type'] === 'session.ended')
        checkReport(object(entry['report'], `${at}.report`), `${at}.report`)
      return
    default:
      throw new Fault(`${at}.role must be user, assistant, tool_result or event`)
  }
}

function checkMessage(message: JsonObject, at: string): void {
  string(message['content'], `${at}.content`)
  for (const key of ['from', 'message']) if (message[key] !== undefined) string(message[key], `${at}.${key}`)
  list(message['images'] ?? [], `${at}.images`).forEach((item, index) => {
    const image = object(item, `${at}.images[${index}]`)
    for (const key of ['mime', 'data']) string(image[key], `${at}.images[${index}].${key}`)
  })
}

function checkReport(report: JsonObject, at: string): void {
  if (!statuses.includes(String(report['status'])))
    throw new Fault(`${at}.status must be ${statuses.join(', ')}`)
  string(report['text'], `${at}.text`)
  list(report['notices'] ?? [], `${at}.notices`).forEach((item, index) => {
    const notice = object(item, `${at}.notices[${index}]`)
    for (const key of ['code', 'message']) string(notice[key], `${at}.notices[${index}].${key}`)
  })
}

function checkUsage(entry: JsonObject, at: string): void {
  if (entry['usage'] === undefined) return
  const usage = object(entry['usage'], `${at}.usage`)
  for (const [key, value] of Object.entries(usage))
    if (typeof value !== 'number') throw new Fault(`${at}.usage.${key.slice(0, 40)} must be a number`)
}

function object(value: Json | undefined, at: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw new Fault(`${at} must be an object`)
}

function list(value: Json | undefined, at: string): readonly Json[] {
  if (Array.isArray(value)) return value
  throw new Fault(`${at} must be a list`)
}

function string(value: Json | undefined, at: string): string {
  if (typeof value === 'string') return value
  throw new Fault(`${at} must be a string`)
}
