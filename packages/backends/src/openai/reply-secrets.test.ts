import { answers } from '@cadre/testing'
import { expect, it } from 'vitest'
import { ask } from '../ask.spec-helpers.ts'
import { meet } from './open-model.spec-helpers.ts'

it('a key that a server echoes is neither in the reply nor in the streamed text', async () => {
  const key = 'sk-very-secret-0123456789'
  const { model } = await meet(
    answers.reply({
      text: `your key is ${key}, right?`,
      calls: [{ id: key, name: 'write_file', input: { content: key } }],
    }),
    { env: { OPENAI_API_KEY: key } },
  )
  const { reply, streamed: told } = await ask(model)
  expect(JSON.stringify(reply)).not.toContain(key)
  expect(JSON.stringify(told)).not.toContain(key)
  expect(reply).toMatchObject({ kind: 'reply', content: 'your key is [hidden], right?' })
})
