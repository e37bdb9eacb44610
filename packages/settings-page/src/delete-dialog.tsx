import { useState } from 'preact/hooks'
import { Confirmation } from './confirmation.tsx'
import { deleteAgent, referencesTo } from './edit.ts'
import type { Configuration } from './protocol.ts'

export interface DeleteDialogProps {
  readonly configuration: Configuration
  readonly index: number
  /** True if the agents are saved; otherwise they exist only in the edits. */
  readonly isSet: boolean
  readonly onDelete: (configuration: Configuration) => void
  /** Removes every agent of this level: from the settings, or from the edits. */
  readonly onRemoveAll: () => void
  readonly onClose: () => void
}

/** Confirms the deletion of an agent. An entry agent needs a successor; deleting the last agent resets the level. */
export function DeleteDialog(props: DeleteDialogProps) {
  const { configuration, index, isSet, onDelete, onRemoveAll, onClose } = props
  const agent = configuration.agents[index]
  const others = configuration.agents.filter((_, other) => other !== index)
  const isEntry = agent?.name === configuration.entryAgent
  const [successor, setSuccessor] = useState(others[0]?.name ?? '')
  if (others.length === 0)
    return (
      <Confirmation
        title={`${agent?.name || 'This agent'} is the last agent at this level`}
        actions={[{ label: isSet ? 'Reset this level…' : 'Discard changes', onChoose: onRemoveAll }]}
        close="Keep the agent"
        onClose={onClose}
      >
        <p>
          Without agents at this level, other levels, agent files or the built-in team answer.{' '}
          {isSet
            ? 'To remove the agent, reset this level. VS Code asks for confirmation.'
            : 'The agent is not saved yet. To remove it, discard your changes.'}
        </p>
      </Confirmation>
    )
  const names = referencesTo(configuration, index)
  return (
    <Confirmation
      title={`Delete ${agent?.name || 'this agent'}?`}
      actions={[
        {
          label: 'Delete',
          onChoose: () => onDelete(deleteAgent(configuration, index, isEntry ? successor : undefined)),
        },
      ]}
      onClose={onClose}
    >
      <p>Its instructions and permissions are removed when you save.</p>
      {names.length > 0 && <p>These agents can no longer delegate to it: {names.join(', ')}.</p>}
      {isEntry && (
        <div class="field">
          <label for="successor">It is the entry agent. Who answers @agents instead?</label>
          <select
            id="successor"
            value={successor}
            onChange={(event) => setSuccessor(event.currentTarget.value)}
          >
            {others.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
    </Confirmation>
  )
}
