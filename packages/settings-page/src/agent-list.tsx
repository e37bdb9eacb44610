import type { Configuration, Problem, Template } from './protocol.ts'
import { agentOf } from './visible-problems.ts'

export interface AgentListProps {
  readonly configuration: Configuration
  readonly selected: number
  readonly problems: readonly Problem[]
  readonly templates: readonly Template[]
  readonly max: number
  readonly onSelect: (index: number) => void
  readonly onAdd: () => void
  readonly onTemplate: (id: string) => void
}

export function AgentList(props: AgentListProps) {
  const { configuration, selected, problems, templates, max, onSelect, onAdd, onTemplate } = props
  const { agents, entryAgent } = configuration
  const isFull = agents.length >= max
  return (
    <nav class="list" aria-label="Agents">
      <h2 id="agents">
        Agents <span class="hint">({agents.length})</span>
      </h2>
      <ul aria-labelledby="agents">
        {agents.map((agent, index) => {
          const faults = problems.filter((problem) => problem.prevents && agentOf(problem) === index).length
          return (
            <li key={index}>
              <button
                type="button"
                class="agent"
                aria-current={index === selected ? 'true' : undefined}
                onClick={() => onSelect(index)}
              >
                <span class="name">{agent.name || 'Without a name'}</span>
                {agent.name === entryAgent && <span class="badge">entry</span>}
                {faults > 0 && (
                  <span class="badge fault">
                    {faults} {faults === 1 ? 'error' : 'errors'}
                  </span>
                )}
                <span class="hint">{agent.description}</span>
              </button>
            </li>
          )
        })}
      </ul>
      <div class="buttons">
        <button type="button" onClick={onAdd} disabled={isFull}>
          Add agent
        </button>
      </div>
      <details>
        <summary>Add a team template</summary>
        <ul class="cards" aria-label="Team templates">
          {templates.map(({ id, label, description }) => (
            <li key={id}>
              <strong>{label}</strong> <span class="hint">{description}</span>
              <div class="buttons">
                <button
                  type="button"
                  disabled={isFull}
                  aria-label={`Add the team ${label}`}
                  onClick={() => onTemplate(id)}
                >
                  Add
                </button>
              </div>
            </li>
          ))}
        </ul>
      </details>
      {isFull && <p class="hint">Settings can have at most {max} agents.</p>}
    </nav>
  )
}
