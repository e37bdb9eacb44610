import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Home } from '@cadre/home'
import { openTaskFiles, type TaskItem } from '@cadre/tasks'

/** The progress of the scenario, according to the files in the home. */
export interface DemoProgress {
  task(id: string): TaskItem | undefined
  /** The ids of pending approvals. */
  pending(): readonly string[]
  /** Sent messages: the lines of the outbox with a receipt. */
  sent(): readonly { readonly text: string }[]
  /** An agent's text that starts like this, once its session has ended. */
  lastWords(agent: string, words: string): { readonly file: string; readonly text: string } | undefined
}

export const taskFile = 'node-check.task.md'

export function readProgress(home: Home): DemoProgress {
  const tasks = openTaskFiles({ folder: home.at('tasks') })
  return {
    lastWords(agent, words) {
      for (const name of existsSync(home.at('sessions')) ? readdirSync(home.at('sessions')) : []) {
        if (!name.startsWith(agent) || !name.endsWith('.session.yaml')) continue
        const journal = readFileSync(home.at('sessions', name), 'utf8')
        const [said] =
          journal.slice(journal.indexOf('\nmessages:')).match(new RegExp(`${words}[^"'\\n]*`)) ?? []
        if (said !== undefined && /^status: completed/m.test(journal))
          return { file: `sessions/${name}`, text: said }
      }
      return undefined
    },
    task: (id) => tasks.read(taskFile).tasks.find((task) => task.id === id),
    pending() {
      const folder = home.at('approvals', 'pending')
      const ending = '.approval.md'
      return existsSync(folder)
        ? readdirSync(folder).flatMap((name) =>
            name.endsWith(ending) && !name.startsWith('.') ? [name.slice(0, -ending.length)] : [],
          )
        : []
    },
    sent() {
      const file = home.at('outbox', 'slack.jsonl')
      if (!existsSync(file)) return []
      return readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => {
          // An incomplete line is read the next time.
          if (!line.endsWith('}')) return []
          const { state, message } = JSON.parse(line) as { state?: string; message?: { text?: string } }
          return state === 'sent' ? [{ text: String(message?.text ?? '') }] : []
        })
    },
  }
}
