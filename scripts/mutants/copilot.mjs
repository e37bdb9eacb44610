const ls = 'packages/backends/src/copilot-ls'
const sdk = 'packages/backends/src/copilot-sdk'

/**
 * The Copilot backends, as far as tests without the Copilot packages reach. `npm run test:copilot` covers conversations
 * with the real ones, but takes minutes, so mutants do not use it.
 */
export const copilotMutants = {
  tests: [ls, sdk],
  rows: [
    [
      'a process is stopped during a turn',
      `${ls}/server-pool.ts`,
      'return server !== undefined && users === 0 && !server.isBusy',
      'return server !== undefined && users === 0',
    ],
    [
      'an agent gets another agent’s tools',
      `${ls}/server-pool.ts`,
      'this.#slots.find((slot) => slot.set?.key === set.key)',
      'this.#slots[0]',
    ],
    [
      'a cancelled request still gets its turn',
      `${ls}/server-pool.ts`,
      "signal.addEventListener('abort', abort)",
      '',
    ],
    [
      'a child waits forever for its parent’s process',
      `${ls}/server-pool.ts`,
      'return hasWaited || this.#isStuck() ?',
      'return hasWaited ?',
    ],
    [
      'a call after the end of a turn runs',
      `${ls}/ls-turn.ts`,
      'if (this.isAbandoned || this.isOver || this.#hasFailed)\n      return Promise',
      'if (false)\n      return Promise',
    ],
    [
      'two calls with the same id both run',
      `${ls}/ls-turn.ts`,
      'if (this.#answers.has(call.toolCallId))',
      'if (false)',
    ],
    [
      'a subagent’s text is taken as the reply',
      `${ls}/turn-reader.ts`,
      'if (value.parentTurnId !== undefined) return',
      '',
    ],
    [
      'the cost of a turn is counted twice',
      `${ls}/turn-reader.ts`,
      'input: Math.max(0, this.#total.input - input)',
      'input: this.#total.input',
    ],
    [
      'a message that starts with a slash runs a server command',
      `${ls}/transcript.ts`,
      'return /^\\s*[/@#]/.test(text) ?',
      'return false ?',
    ],
    [
      'a conversation continues although its history has changed',
      'packages/backends/src/continuation.ts',
      'if (known.messages.some((message, index) => messages[index] !== message)) return undefined',
      '',
      ['packages/backends/src/continuation.test.ts'],
    ],
    [
      'a result is attributed to a call with another id',
      'packages/backends/src/continuation.ts',
      ' && message.tool_call_id === id',
      '',
      ['packages/backends/src/continuation.test.ts'],
    ],
    [
      'a subagent’s call that is reported twice runs twice',
      `${sdk}/round-reader.ts`,
      'if (this.#requested.has(request)) return',
      '',
    ],
    [
      'a result is attributed to the wrong one of two subagents',
      `${sdk}/round-reader.ts`,
      "else if (others.length > 0) this.#options.refuse(textOf(data['requestId']))",
      '',
    ],
    [
      'the reply contains the text of a failed attempt',
      `${sdk}/round-reader.ts`,
      'if (!segment.isWhole) this.#segments.delete(message)',
      '',
    ],
    [
      'an error message contains a provider’s key',
      `${sdk}/sdk-failure.ts`,
      "return secret ? text.replaceAll(secret, '[hidden]') : text",
      'return text',
    ],
  ],
}
