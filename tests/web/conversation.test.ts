import { agentRounds, applyToView, emptyView, eventsOf } from '@cadre/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readConversation } from '../../packages/web/src/views/session/read-conversation.ts'
import { randomSession, writeTree } from '../engine/random-trees.ts'

test('a conversation on the page has the same replies and calls as the rounds that --json prints', () => {
  fc.assert(
    fc.property(randomSession(3), (random) => {
      const { journals } = writeTree(random)
      for (const stored of journals) {
        const view = emptyView()
        for (const event of eventsOf(stored)) applyToView(view, event)
        const { id } = stored.spec
        const shown = readConversation({ id, agent: 'a' }, stored.entries).flatMap((item) =>
          item.kind === 'reply'
            ? [
                {
                  reply: item.text,
                  toolCalls: item.calls.map(
                    ({ verdict: _, held: __, person: ___, startedAt: ____, settledAt: _____, ...call }) =>
                      call,
                  ),
                },
              ]
            : [],
        )
        expect(shown).toEqual(agentRounds(view, id).map(({ reply, toolCalls }) => ({ reply, toolCalls })))
      }
    }),
  )
})
