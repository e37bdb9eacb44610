import { CommandHint } from '../../parts/command-hint.tsx'
import { ExactText } from '../../parts/exact-text.tsx'
import { commandLine } from '../../parts/shell-word.ts'
import { useAnswer } from '../../parts/use-answer.ts'
import { useStore } from '../../store/app-context.ts'

/** The session file on disk. */
export function Journal({ id }: { readonly id: string }) {
  const { client, rows } = useStore()
  const journal = useAnswer((signal) => client.getJournal({ params: { id }, signal }), {
    again: [id, rows.get(id)?.row.value.updated],
  })
  return (
    <div class="journal">
      <CommandHint command={commandLine('cadre', 'sessions', 'show', id, '--json')} />
      {journal.error !== undefined && (
        <p class="fault" role="alert">
          {journal.error}
        </p>
      )}
      {journal.value !== undefined && <ExactText text={journal.value.text} label={`${id}.session.yaml`} />}
    </div>
  )
}
