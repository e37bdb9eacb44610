import type { AgentFileState, PageState } from './protocol.ts'

export interface OtherAgentsProps {
  readonly state: PageState
  readonly onCustomize: () => void
  readonly onOpen: (id: string) => void
  readonly onCopy: (id: string) => void
}

/** Agents that the settings do not define: the built-in team, and those of files. */
export function OtherAgents({ state, onCustomize, onOpen, onCopy }: OtherAgentsProps) {
  const { files, builtIn } = state
  return (
    <>
      <section aria-labelledby="built-in">
        <h2 id="built-in">Built-in team {builtIn.isUsed && <span class="badge">in use</span>}</h2>
        <p>
          {builtIn.isUsed
            ? 'Neither the settings nor files define agents, so this team answers @agents.'
            : 'This team answers @agents where neither the settings nor files define agents.'}
        </p>
        <ul class="cards">
          {builtIn.agents.map(({ name, description }) => (
            <li key={name}>
              <strong>{name}</strong> <span class="hint">{description}</span>
            </li>
          ))}
        </ul>
        <div class="buttons">
          <button type="button" onClick={onCustomize}>
            Customize: copy into the settings
          </button>
        </div>
      </section>
      <section aria-labelledby="files">
        <h2 id="files">
          Agent files <span class="hint">({files.length})</span>
        </h2>
        {files.length === 0 ? (
          <p class="hint">
            No agent files yet. Agents in <code>.github/agents</code>, <code>.claude/agents</code> and other
            folders are listed here.
          </p>
        ) : (
          <ul class="cards">
            {files.map((file) => (
              <li key={file.id}>
                <strong>{file.agent ?? 'Cannot be used'}</strong> <code>{file.path}</code>{' '}
                <span class="badge">{stateOf(file)}</span>
                {file.shadowedBy !== undefined && (
                  <p class="hint">Not used: {file.shadowedBy} defines the same agent.</p>
                )}
                {file.firstProblem !== undefined && <p class="hint">{file.firstProblem}</p>}
                <div class="buttons">
                  <button type="button" onClick={() => onOpen(file.id)} aria-label={`Open file ${file.path}`}>
                    Open file
                  </button>
                  {file.agent !== undefined && (
                    <button
                      type="button"
                      onClick={() => onCopy(file.id)}
                      aria-label={`Copy into settings: ${file.agent}`}
                    >
                      Copy into settings
                    </button>
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  )
}

function stateOf({ status, errors, warnings }: AgentFileState): string {
  if (status === 'failed') return 'cannot be used'
  const counted = [count(errors, 'error'), count(warnings, 'warning')].filter((part) => part !== '')
  return counted.length === 0 ? 'no problems' : counted.join(', ')
}

function count(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`
}
