import type { Work } from '../ports/session-spec.ts'
import { addContext, checkPrompt } from './notify-handlers.ts'
import { record, type Session } from './session.ts'
import { userDraftOf } from './user-draft-of.ts'

/** Records a message to a session that continues. A message with the same id is recorded once. */
export async function recordMessage(session: Session, work: Work): Promise<void> {
  if (work.message !== undefined && session.state.receivedMessages.has(work.message)) return
  const prompt = await checkPrompt(session, work)
  if (!prompt.taken) return
  await record(session, `news/${session.state.seq}`, () => [userDraftOf(session.spec, work)], {
    // The sender deletes the message once it is recorded.
    durable: work.message !== undefined,
  })
  await addContext(session, prompt.context)
}
