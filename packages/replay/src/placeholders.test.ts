import { describe, expect, it } from 'vitest'
import { fillPlaceholders, insertPlaceholders } from './placeholders.ts'

const places = { workspaces: ['/home/ann/app'], home: '/home/ann/app/.cadre', userHome: '/home/ann' }
const sessions = new Map([
  ['lead-1', 1],
  ['lead-12', 2],
])

describe('what differs between machines and runs', () => {
  it.each([
    ['cat /home/ann/app/a.txt /home/ann/.npmrc', 'cat ⟦workspace⟧/a.txt ⟦user⟧/.npmrc'],
    ['/home/ann/app/.cadre/tasks, /home/ann/app.', '⟦home⟧/tasks, ⟦workspace⟧.'],
    ['/home/anna/app /home/ann/app-2', '/home/anna/app ⟦user⟧/app-2'],
    ['lead-1, lead-12 and lead-123', '⟦session 1⟧, ⟦session 2⟧ and lead-123'],
    [
      'You are x.\n\n## Environment\n\nThis was true when the session started. It is not updated.\n\n- Date: today',
      'You are x.\n\n## Environment\n\n⟦environment⟧',
    ],
  ])('%s', (text, short) => expect(insertPlaceholders(text, places, sessions)).toBe(short))

  it("is expanded to this machine's values, including in JSON", () => {
    const here = {
      workspace: '/b "c"',
      home: '/h',
      userHome: '/u',
      session: (n: number) => (n === 1 ? 'x-9' : undefined),
    }
    expect(fillPlaceholders('⟦workspace⟧ ⟦home⟧ ⟦user⟧ ⟦session 1⟧ ⟦session 2⟧', here)).toBe(
      '/b "c" /h /u x-9 ⟦session 2⟧',
    )
    expect(JSON.parse(fillPlaceholders('{"path":"⟦workspace⟧/a"}', here, true))).toEqual({ path: '/b "c"/a' })
  })
})
