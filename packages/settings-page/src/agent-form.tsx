import { useEffect, useRef } from 'preact/hooks'
import { changeAgent, changeModel, renameAgent } from './edit.ts'
import { TextField } from './field.tsx'
import { Permission } from './permission.tsx'
import type { Agent, Configuration, PageState, Preview, Problem } from './protocol.ts'
import { problemsAt } from './visible-problems.ts'

export interface AgentFormProps {
  readonly configuration: Configuration
  readonly index: number
  readonly state: PageState
  readonly problems: readonly Problem[]
  readonly preview: Preview | undefined
  readonly focusName: number
  readonly onChange: (configuration: Configuration) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onDuplicate: () => void
  readonly onDelete: () => void
}

const ownKeys = [
  'name',
  'systemPrompt',
  'description',
  'useFor',
  'delegationPermissions',
  'toolPermissions',
  'model',
  'cadreUnset',
]

export function AgentForm(props: AgentFormProps) {
  const { configuration, index, state, problems, preview, focusName, onChange } = props
  const agent = configuration.agents[index]
  const nameInput = useRef<HTMLInputElement>(null)
  // Names are typed letter by letter, so each change is a rename from the original.
  const before = useRef<Configuration | undefined>(undefined)
  useEffect(() => {
    if (focusName > 0) {
      nameInput.current?.focus()
      nameInput.current?.select()
    }
  }, [focusName])
  if (agent === undefined) return null
  const at = (field: string) => problemsAt(problems, `agents[${index}].${field}`)
  const change = (part: Partial<Agent>) => onChange(changeAgent(configuration, index, part))
  const others = configuration.agents
    .filter((_, other) => other !== index)
    .map(({ name, useFor }) => ({ name, description: useFor }))
    .filter(({ name }) => name !== '')
  const rest = Object.keys(agent).filter((key) => !ownKeys.includes(key))
  const { limits } = state
  const model = typeof agent.model === 'string' ? agent.model : (agent.model ?? []).join(', ')
  const isEntry = agent.name === configuration.entryAgent
  return (
    <section class="form" aria-labelledby="agent-title">
      <div class="title">
        <h2 id="agent-title">
          {agent.name || 'New agent'} {isEntry && <span class="badge">entry</span>}
        </h2>
        <div class="buttons">
          <button type="button" onClick={() => props.onMove(-1)} disabled={index === 0}>
            Move up
          </button>
          <button
            type="button"
            onClick={() => props.onMove(1)}
            disabled={index === configuration.agents.length - 1}
          >
            Move down
          </button>
          <button
            type="button"
            onClick={() => onChange({ ...configuration, entryAgent: agent.name })}
            disabled={isEntry || agent.name === ''}
          >
            Make entry agent
          </button>
          <button
            type="button"
            onClick={props.onDuplicate}
            disabled={configuration.agents.length >= limits.agents}
          >
            Duplicate
          </button>
          <button type="button" onClick={props.onDelete}>
            Delete
          </button>
        </div>
      </div>
      <TextField
        id="name"
        label="Name"
        hint="Letters, digits, hyphens and underscores. Other agents and @agents use this name."
        problems={at('name')}
        value={agent.name}
        onInput={(name) => onChange(renameAgent(before.current ?? configuration, index, name))}
        isExact
        input={{
          ref: nameInput,
          maxLength: limits.name,
          onFocus: () => {
            before.current = configuration
          },
          onBlur: () => {
            before.current = undefined
          },
        }}
      />
      <TextField
        id="description"
        label="Description"
        hint="What the agent is, in one sentence."
        problems={at('description')}
        max={limits.text}
        value={agent.description}
        onInput={(description) => change({ description })}
      />
      <TextField
        id="useFor"
        label="Use for"
        hint="The work that other agents should delegate to this agent. Cadre adds this text to their prompts."
        problems={at('useFor')}
        max={limits.text}
        value={agent.useFor}
        onInput={(useFor) => change({ useFor })}
      />
      <TextField
        id="systemPrompt"
        label="Instructions"
        hint="The system prompt: who the agent is and how it works."
        problems={at('systemPrompt')}
        max={limits.prompt}
        rows={10}
        value={agent.systemPrompt}
        onInput={(systemPrompt) => change({ systemPrompt })}
      />
      <TextField
        id="model"
        label="Model (optional)"
        hint="If empty: the model that you picked in the chat."
        problems={at('model')}
        value={model}
        onInput={(text) => onChange(changeModel(configuration, index, text))}
        isExact
        list="models"
      >
        <datalist id="models">
          {state.models.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </TextField>
      <Permission
        id="delegationPermissions"
        label="Delegation"
        kinds={{ all: 'All other agents', none: 'None', specific: 'Only these agents' }}
        kind={agent.delegationPermissions.type}
        chosen={agent.delegationPermissions.agents ?? []}
        groups={others.length === 0 ? [] : [{ label: 'Agents', tools: others }]}
        canSearch={false}
        problems={at('delegationPermissions')}
        onChange={(type, agents) =>
          change({ delegationPermissions: type === 'specific' ? { type, agents } : { type } })
        }
      />
      <Permission
        id="toolPermissions"
        label="Tools"
        kinds={{ all: 'All tools', none: 'None', specific: 'Only these tools' }}
        kind={agent.toolPermissions.type}
        chosen={agent.toolPermissions.tools ?? []}
        groups={state.tools}
        canSearch
        problems={at('toolPermissions')}
        onChange={(type, tools) =>
          change({ toolPermissions: type === 'specific' ? { type, tools } : { type } })
        }
      />
      {rest.length > 0 && (
        <p class="hint">
          Kept unchanged in the settings: <code>{rest.join(', ')}</code>
        </p>
      )}
      <details class="preview" open>
        <summary>Prompt sent to the model{isEntry ? '' : ' when work is delegated to this agent'}</summary>
        {preview === undefined || preview.agent !== agent.name ? (
          <p class="hint">It is shown once the agent is valid.</p>
        ) : (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus */}
            <section tabIndex={0} class="prompt" aria-label="Prompt sent to the model">
              <pre>{preview.prompt}</pre>
            </section>
            <p class="hint">
              {preview.tools.length === 0
                ? 'The model gets no tools.'
                : `Tools sent to the model: ${preview.tools.join(', ')}`}
            </p>
          </>
        )}
      </details>
    </section>
  )
}
