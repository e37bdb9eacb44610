// The models of the vendor `scripted`. Their replies are in the JSON file CADRE_TEST_SCRIPT, read again for every request:
//
//    { "lanes": [{ "when": "You are the reviewer",
//                  "replies": [{ "calls": [{ "name": "probe_echo", "input": {} }] }, { "text": "Done." }] }] }
//
// The first matching lane is used: its `when` (one or several texts, all of which must occur) is in the messages before the
// model's first reply, that is the system prompt and the first question. A lane without `when` always matches; `model`
// restricts it to one model. The reply is chosen by the number of model replies in this conversation, so parallel
// conversations of the same lane do not affect each other. A reply is a step or a list of steps; the parts of a step are
// played in this order:
//    wait: path      until this file exists
//    error: { message, code?, times? }   fails; with `times`, only that many times, and then continues
//    text: string    streamed word by word
//    calls: [{ name, input }]
const { existsSync, readFileSync } = require('node:fs')
const vscode = require('vscode')
const { write } = require('./log')
const { readMessage } = require('./messages')

const models = [
  { id: 'scripted-one', name: 'Scripted One' },
  { id: 'scripted-two', name: 'Scripted Two' },
].map((model, index) => ({
  ...model,
  // If the picker is hidden, VS Code uses the default one.
  isDefault: index === 0,
  family: 'scripted',
  version: '1',
  maxInputTokens: 100_000,
  maxOutputTokens: 8_000,
  capabilities: { toolCalling: true, imageInput: false },
  // The picker offers only such models.
  isUserSelectable: true,
}))

let requests = 0
const failures = new Map()

/** The command `scriptedModel.offer` removes the models, or offers them again. */
exports.registerModels = () => {
  let offered = models
  const changed = new vscode.EventEmitter()
  return vscode.Disposable.from(
    changed,
    vscode.commands.registerCommand('scriptedModel.offer', (isOffered) => {
      offered = isOffered ? models : []
      changed.fire()
    }),
    vscode.lm.registerLanguageModelChatProvider('scripted', {
      onDidChangeLanguageModelChatInformation: changed.event,
      provideLanguageModelChatInformation: () => offered,
      provideLanguageModelChatResponse: respond,
      provideTokenCount: async (_model, text) =>
        Math.ceil((typeof text === 'string' ? text : JSON.stringify(readMessage(text))).length / 4),
    }),
  )
}

async function respond(model, received, options, progress, token) {
  requests += 1
  const request = requests
  const messages = received.map(readMessage)
  const found = findReply(model.id, messages)
  write({
    kind: 'request',
    request,
    model: model.id,
    lane: found.lane,
    reply: found.reply,
    messages,
    tools: (options.tools ?? []).map((tool) => tool.name),
    toolMode: options.toolMode,
  })
  const cancelled = token.onCancellationRequested(() =>
    write({ kind: 'cancelled', request, model: model.id }),
  )
  try {
    if (!found.steps) throw new Error(found.missing)
    for (const [at, step] of found.steps.entries()) {
      await play(step, `${found.lane}/${found.reply}/${at}`, request, progress, token)
    }
    write({ kind: 'replied', request })
  } catch (error) {
    write({ kind: 'failed', request, message: error.message })
    throw error
  } finally {
    cancelled.dispose()
  }
}

function findReply(model, messages) {
  const { lanes } = JSON.parse(readFileSync(process.env.CADRE_TEST_SCRIPT, 'utf8'))
  const first = messages.findIndex((message) => message.role === 'assistant')
  const opening = textOf(first < 0 ? messages : messages.slice(0, first))
  const lane = lanes.findIndex(
    (lane) =>
      (lane.model ?? model) === model && [lane.when ?? []].flat().every((text) => opening.includes(text)),
  )
  if (lane < 0) return { missing: 'The script has no lane for this conversation.' }
  const reply = messages.filter((message) => message.role === 'assistant').length
  const steps = lanes[lane].replies[reply]
  if (!steps) return { lane, reply, missing: `Lane ${lane} of the script has no reply ${reply}.` }
  return { lane, reply, steps: [steps].flat() }
}

function textOf(messages) {
  return messages
    .flatMap((message) => message.parts)
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('\n')
}

async function play(step, place, request, progress, token) {
  if (step.wait) {
    write({ kind: 'waiting', request, file: step.wait })
    await fileExists(step.wait, token)
  }
  if (step.error) fail(step.error, place)
  for (const piece of (step.text ?? '').match(/\s*\S+\s*/g) ?? []) {
    if (token.isCancellationRequested) throw new vscode.CancellationError()
    progress.report(new vscode.LanguageModelTextPart(piece))
    await new Promise(setImmediate)
  }
  for (const [at, call] of (step.calls ?? []).entries()) {
    progress.report(
      new vscode.LanguageModelToolCallPart(`call-${request}-${at}`, call.name, call.input ?? {}),
    )
  }
}

function fail({ message, code, times = Number.POSITIVE_INFINITY }, place) {
  const failed = failures.get(place) ?? 0
  if (failed >= times) return
  failures.set(place, failed + 1)
  // `NotFound`, `NoPermissions` and `Blocked` have constructors; there is none for other codes.
  const error = vscode.LanguageModelError[code]?.(message) ?? new Error(message)
  throw error
}

async function fileExists(file, token) {
  while (!existsSync(file)) {
    if (token.isCancellationRequested) throw new vscode.CancellationError()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
