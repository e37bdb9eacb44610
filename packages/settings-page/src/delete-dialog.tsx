import { useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { deleteAgent, namedBy } from './edit.ts'
import type { Configuration } from './protocol.ts'

export interface DeleteDialogProps {
  readonly configuration: Configuration
  readonly index: number
  readonly onDelete: (configuration: Configuration) => void
  readonly onClose: () => void
}

/** Confirms that an agent is deleted. An entry agent needs a successor; the last agent stays. */
export function DeleteDialog({ configuration, index, onDelete, onClose }: DeleteDialogProps) {
  const agent = configuration.agents[index]
  const others = configuration.agents.filter((_, other) => other !== index)
  const isEntry = agent?.name === configuration.entryAgent
  const [successor, setSuccessor] = useState(others[0]?.name ?? '')
  if (others.length === 0)
    return (
      <Dialog title="The last agent cannot be deleted" actions={[]} close="OK" onClose={onClose}>
        <p>Add another agent first. To remove all agents of this level, use Reset.</p>
      </Dialog>
    )
  const names = namedBy(configuration, index)
  return (
    <Dialog
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
    </Dialog>
  )
}
