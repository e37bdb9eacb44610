import { Confirmation } from './confirmation.tsx'

export interface FirstAgentDialogProps {
  /** The agents of the built-in team. */
  readonly team: readonly string[]
  readonly onStart: (from: 'built-in' | 'nothing') => void
  readonly onClose: () => void
}

/** Explains that the first agent in the settings replaces the built-in team, and asks what to start with. */
export function FirstAgentDialog({ team, onStart, onClose }: FirstAgentDialogProps) {
  return (
    <Confirmation
      title="Your first agent replaces the built-in team"
      actions={[
        { label: 'Start from the built-in team', onChoose: () => onStart('built-in') },
        { label: 'Start with one agent', onChoose: () => onStart('nothing') },
      ]}
      onClose={onClose}
    >
      <p>
        The built-in team answers @agents now: {team.join(', ')}. Once your settings define agents, only those
        answer.
      </p>
      <ul>
        <li>
          <strong>Start from the built-in team</strong> copies these agents into your settings, and adds yours
          to them.
        </li>
        <li>
          <strong>Start with one agent</strong> omits them. Your agent becomes the entry agent.
        </li>
      </ul>
    </Confirmation>
  )
}
