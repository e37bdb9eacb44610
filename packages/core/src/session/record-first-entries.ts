import type { Draft } from '../ports/entry.ts'
import { addContext, checkPrompt } from './notify-handlers.ts'
import { record, type Session } from './session.ts'
import { userDraftOf } from './user-draft-of.ts'

/** Records the first entries of a session: the history, and the work, if it is accepted. */
export async function recordFirstEntries(session: Session): Promise<void> {
  const { history = [], work } = session.spec
  const prompt = await checkPrompt(session, work)
  if (!prompt.taken) return
  const said: Draft[] = history.map(({ role, content }) => ({ role, content, earlier: true }))
  await record(session, `begin/${session.state.seq}`, () => [...said, userDraftOf(session.spec, work)], {
    // The sender deletes the message once it is recorded.
    durable: work.message !== undefined,
  })
  await addContext(session, prompt.context)
}
