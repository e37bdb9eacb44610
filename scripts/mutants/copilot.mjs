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
      'an agent gets the tools of another',
      `${ls}/server-pool.ts`,
      'this.#slots.find((slot) => slot.set?.key === set.key)',
      'this.#slots[0]',
    ],
    [
      'a cancelled question still gets its turn',
      `${ls}/server-pool.ts`,
      "signal.addEventListener('abort', abort)",
      '',
    ],
    [
      'a child waits for ever for the process of its parent',
      `${ls}/server-pool.ts`,
      'return hasWaited || this.#isStuck() ?',
      'return hasWaited ?',
    ],
    [
      'a call after the end of a turn is carried out',
      `${ls}/turn.ts`,
      'if (this.isAbandoned || this.isOver || this.#hasFailed)\n      return Promise',
      'if (false)\n      return Promise',
    ],
    [
      'two calls with one id are both carried out',
      `${ls}/turn.ts`,
      'if (this.#answers.has(call.toolCallId))',
      'if (false)',
    ],
    [
      'the text of a subagent passes for the reply',
      `${ls}/turn-reader.ts`,
      'if (value.parentTurnId !== undefined) return',
      '',
    ],
    [
      'what a turn has cost counts twice',
      `${ls}/turn-reader.ts`,
      'input: Math.max(0, this.#total.input - input)',
      'input: this.#total.input',
    ],
    [
      'a message that begins with a slash is a command of the server',
      `${ls}/transcript.ts`,
      'return /^\\s*[/@#]/.test(text) ?',
      'return false ?',
    ],
    [
      'a conversation goes on although its past has changed',
      `${sdk}/continuation.ts`,
      'if (known.messages.some((message, index) => messages[index] !== message)) return undefined',
      '',
    ],
    [
      'a result goes to the call of another id',
      `${sdk}/continuation.ts`,
      ' && message.tool_call_id === id',
      '',
    ],
    [
      'a call of a subagent that is reported twice runs twice',
      `${sdk}/round-reader.ts`,
      'if (this.#requested.has(request)) return',
      '',
    ],
    [
      'a result goes to either of two subagents',
      `${sdk}/round-reader.ts`,
      "else if (others.length > 0) this.#options.refuse(textOf(data['requestId']))",
      '',
    ],
    [
      'the text of a failed attempt stays in the reply',
      `${sdk}/round-reader.ts`,
      'if (!segment.isWhole) this.#segments.delete(message)',
      '',
    ],
    [
      'an error shows the key of a provider',
      `${sdk}/failure.ts`,
      "return secret ? text.replaceAll(secret, '[hidden]') : text",
      'return text',
    ],
  ],
}
