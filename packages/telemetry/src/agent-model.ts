import { type AttributeText, type AttributeValues, attributesOf } from './attributes.ts'
import { memoize } from './memoize.ts'
import type { Meter } from './meter.ts'
import { type ModelName, modelName } from './model-name.ts'

type Recorder = (value: number | undefined) => void

/** What is the same for all sessions of an agent with a model: written and looked up once, and not for every span. */
export interface AgentModel {
  readonly name: ModelName
  readonly attributes: AttributeText
  /** What its requests are counted by. */
  readonly counted: AttributeValues
  /** Of every request. */
  readonly chatAttributes: AttributeText
  readonly requestDuration: Recorder
  readonly timeToFirstChunk: Recorder
  /** By the model that answers, as the server names it. Usually it is the model that was asked. */
  readonly answeredBy: (model: string | undefined) => AnsweringModel
  readonly tool: (name: string) => ToolMetrics
}

export interface AnsweringModel {
  /** By the reason for which the reply ended. */
  readonly attributes: (finish: string) => AttributeText
  readonly operationInput: Recorder
  readonly operationOutput: Recorder
  readonly input: Recorder
  readonly output: Recorder
  readonly cacheRead: Recorder
  readonly cacheWrite: Recorder
  readonly cost: Recorder
  readonly premium: Recorder
}

export interface ToolMetrics {
  readonly attributes: AttributeText
  readonly counted: AttributeValues
  readonly duration: Recorder
}

export function agentModelOf(agent: string, model: string, meter: Meter): AgentModel {
  const name = modelName(model)
  const chat = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': name.provider,
    'gen_ai.request.model': name.model,
  }
  const tools = memoize<ToolMetrics>()
  const answering = memoize<AnsweringModel>()
  return {
    name,
    attributes: attributesOf({ 'gen_ai.agent.name': agent }),
    counted: chat,
    chatAttributes: attributesOf(chat),
    requestDuration: meter.bind('gen_ai.client.inference.duration', chat),
    timeToFirstChunk: meter.bind('gen_ai.client.inference.time_to_first_chunk', chat),
    answeredBy: (answered = model) =>
      answering(answered, () => {
        const { model: other } = modelName(answered)
        const by = answered === model ? chat : { ...chat, 'gen_ai.response.model': other }
        return answeringModelOf(other, by, { ...by, 'gen_ai.agent.name': agent }, meter)
      }),
    tool: (tool) => tools(tool, () => toolMetricsOf(tool, agent, meter)),
  }
}

function answeringModelOf(
  model: string,
  chat: AttributeValues,
  agent: AttributeValues,
  meter: Meter,
): AnsweringModel {
  const finishes = memoize<AttributeText>()
  return {
    attributes: (finish) =>
      finishes(finish, () =>
        attributesOf({ 'gen_ai.response.model': model, 'gen_ai.response.finish_reasons': [finish] }),
      ),
    operationInput: meter.bind('gen_ai.client.inference.operation.input_tokens', chat),
    operationOutput: meter.bind('gen_ai.client.inference.operation.output_tokens', chat),
    input: meter.bind('gen_ai.client.inference.usage.input_tokens', agent),
    output: meter.bind('gen_ai.client.inference.usage.output_tokens', agent),
    cacheRead: meter.bind('gen_ai.client.inference.usage.cache_read.input_tokens', agent),
    cacheWrite: meter.bind('gen_ai.client.inference.usage.cache_write.input_tokens', agent),
    cost: meter.bind('cadre.cost', agent),
    premium: meter.bind('cadre.premium_requests', agent),
  }
}

function toolMetricsOf(tool: string, agent: string, meter: Meter): ToolMetrics {
  const counted = { 'gen_ai.tool.name': tool, 'gen_ai.agent.name': agent }
  return {
    attributes: attributesOf({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.type': 'function',
    }),
    counted,
    duration: meter.bind('gen_ai.execute_tool.duration', counted),
  }
}
