import type { ModelInfo } from '../backend.ts'
import { Field, type Origin, originInMemory } from '../field.ts'
import { compileDefault, compileSteps, type StepSequence, type StepSlot } from './compile-steps.ts'
import { type ConditionCheck, compileCondition } from './condition.ts'
import { compileText, type TemplateValue } from './template.ts'

/** The steps of one kind of session. */
export interface StepTrack {
  readonly where: string
  readonly when: ConditionCheck | undefined
  readonly steps: StepSequence
  readonly after: StepSlot | undefined
  /** The furthest position that a session reached. Only for `leftovers`: nothing else depends on it. */
  reached: number
}

export interface CompiledLane {
  readonly agent: string
  readonly where: string
  readonly tracks: readonly StepTrack[]
}

export interface CompiledPlaybook {
  readonly where: string
  readonly facts: ModelInfo
  /** Undefined if the playbook replaces any model name. */
  readonly names: ReadonlyMap<string, ModelInfo> | undefined
  readonly summary: TemplateValue<string>
  readonly lanes: ReadonlyMap<string, CompiledLane>
}

const trackKeys = ['steps', 'default']

/** Checks and compiles a playbook. Throws a `configuration` error at the first mistake. */
export function compilePlaybook(value: unknown, origin: Origin = originInMemory): CompiledPlaybook {
  const field = new Field(value, origin)
  field.mapping('a playbook', ['description', 'model', 'models', 'summary', 'lanes'])
  const model = field.at('model')
  const models = field.at('models')
  const summary = field.at('summary')
  const lanes = field.at('lanes') ?? field.fail('a playbook needs "lanes", with one lane per agent.')
  const compiled = lanes.entries().map(([agent, lane]) => [agent, compileLane(agent, lane)] as const)
  if (compiled.length === 0) lanes.fail('"lanes" must have at least one lane.')
  field.at('description')?.text()
  return {
    where: field.where,
    facts: model === undefined ? {} : readFacts(model),
    names: models && new Map(models.entries().map(([name, facts]) => [name, readFacts(facts)])),
    summary:
      summary === undefined
        ? { constant: 'A summary of the work so far.' }
        : compileText(summary.words(), summary),
    lanes: new Map(compiled),
  }
}

function compileLane(agent: string, field: Field): CompiledLane {
  const lane = { agent, where: field.where }
  if (Array.isArray(field.value))
    return { ...lane, tracks: [compileTrack(field, field, undefined, undefined)] }
  if (!field.isMapping)
    field.fail(`lane ${field.name} must be a list of steps, or have "steps", "sessions" or "default".`)
  field.mapping('a lane', [...trackKeys, 'sessions'])
  const sessions = field.at('sessions')
  if (sessions === undefined) return { ...lane, tracks: [trackOf(field, undefined)] }
  for (const key of trackKeys)
    field
      .at(key)
      ?.fail(`"${key}" cannot be at the same level as "sessions". Move it into one of the sessions.`)
  const tracks = sessions.items().map((variant) => {
    variant.mapping('a session variant', ['when', ...trackKeys])
    const when = variant.at('when')
    return trackOf(variant, when && compileCondition(when))
  })
  if (tracks.length === 0) sessions.fail('"sessions" must have at least one variant.')
  return { ...lane, tracks }
}

function trackOf(field: Field, when: ConditionCheck | undefined): StepTrack {
  const steps = field.at('steps')
  const after = field.at('default')
  if (steps === undefined && after === undefined)
    field.fail(`${field.name} needs "steps", "default" or both.`)
  return compileTrack(field, steps, after, when)
}

function compileTrack(
  field: Field,
  steps: Field | undefined,
  after: Field | undefined,
  when: ConditionCheck | undefined,
): StepTrack {
  const none: StepSequence = { length: 0, slotAt: () => undefined, lines: [] }
  return {
    where: field.where,
    when,
    steps: steps === undefined ? none : compileSteps(steps),
    after: after && compileDefault(after),
    reached: 0,
  }
}

/** The facts in a playbook about the model it replaces. */
function readFacts(field: Field): ModelInfo {
  field.mapping('a model', ['window', 'maxOutput', 'price'])
  const window = field.at('window')?.whole(1)
  const maxOutput = field.at('maxOutput')?.whole(1)
  const price = field.at('price')
  return {
    ...(window !== undefined && { window }),
    ...(maxOutput !== undefined && { maxOutput }),
    ...(price && { price: readPrice(price) }),
  }
}

function readPrice(field: Field): { input: number; output: number } {
  field.mapping('a price', ['input', 'output'])
  const part = (key: string) => field.at(key)?.amount() ?? field.fail(`${field.name} needs "${key}".`)
  return { input: part('input'), output: part('output') }
}
