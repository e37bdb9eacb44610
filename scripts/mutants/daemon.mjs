const server = 'packages/server/src'
const keeper = [`${server}/sessions`]
const inbox = [`${server}/inbox/create-inbox-duty.test.ts`]
const mail = [`${server}/mailboxes`]
const logs = [`${server}/chat-logs`]

/** The duties of the daemon, its keeper and its queues. */
export const daemonMutants = {
  tests: keeper,
  rows: [
    [
      'a message leaves the queue before it is in the record',
      `${server}/sessions/deliveries.ts`,
      'if (!hasHeard(stored, request.work.message)) return false',
      '',
    ],
    [
      'a request that was queued at a death is lost',
      `${server}/sessions/delivery-queue.ts`,
      'if (request !== undefined) this.#keep({ file, session: sessionOf(request), request })',
      '',
    ],
    [
      'a message overtakes another',
      `${server}/sessions/delivery-queue.ts`,
      '(a.file < b.file ? -1 : 1)',
      '(a.file < b.file ? 1 : -1)',
    ],
    [
      'a cancelled session is started by what is queued for it',
      `${server}/sessions/cancel-session.ts`,
      'const dropped = deliveries.drop(session)',
      'const dropped = 0',
    ],
    [
      'a cancelled session leaves its children at work',
      `${server}/sessions/cancel-session.ts`,
      'for (const child of openChildren(stored)) {',
      'for (const child of openChildren(stored).slice(0, 0)) {',
    ],
    [
      'more sessions run at once than are permitted',
      `${server}/sessions/jobs.ts`,
      'this.#holds === 0 && this.#running.size < this.#options.parallel()',
      'this.#holds === 0',
    ],
    [
      'the daemon resumes sessions in folders of others',
      `${server}/sessions/session-runs.ts`,
      'if (trusted) return undefined',
      'return undefined',
    ],
    [
      'the daemon resumes sessions of a removed agent',
      `${server}/sessions/session-runs.ts`,
      'const gone = this.#removalOf(spec.agent)',
      'const gone = undefined',
      [...keeper, `${server}/agents`],
    ],
    [
      'what an agent writes into a session file counts as a person’s',
      `${server}/sessions/sessions-duty.ts`,
      'if (isUnguarded(home)) {\n        for',
      'if (false) {\n        for',
    ],
    [
      'a line counts as handled before it is',
      `${server}/inbox/create-inbox-duty.ts`,
      'file.waits = await handle(name, file, item, routes)\n        if (file.waits !== undefined) break\n        file.reader.done(item)',
      'file.reader.done(item)\n        file.waits = await handle(name, file, item, routes)\n        if (file.waits !== undefined) break',
      inbox,
    ],
    [
      'a line of the inbox does not wait for the one before it',
      `${server}/inbox/create-inbox-duty.ts`,
      'if (file.waits !== undefined) break\n        file.reader.done(item)',
      'if (file.waits === undefined) file.reader.done(item)',
      inbox,
    ],
    [
      'a message reaches a second session after a crash',
      `${server}/mailboxes/deliver-message.ts`,
      "if (inDoubt && (await sessions.state(session)).kind !== 'absent') return begin()",
      '',
      mail,
    ],
    [
      'a message is delivered again to a session that has ended',
      `${server}/mailboxes/deliver-message.ts`,
      "if (inDoubt && (await sessions.delivery(last, id)) !== 'unknown') return { deliveredTo: last }",
      '',
      mail,
    ],
    [
      'a message escapes the controls of its sender',
      `${server}/mailboxes/deliver-message.ts`,
      'const controls = await inheritedControls(context, [message.session])',
      'const controls = undefined',
      mail,
    ],
    [
      'a message goes to a session that may do more than its sender',
      `${server}/inherited-controls.ts`,
      '(wanted.deniedTools ?? []).every((name) => deniedTools.includes(name))',
      'true',
      mail,
    ],
    [
      'a task escapes the controls of the session that created it',
      `${server}/tasks/carry-out.ts`,
      'return inheritedControls(context, causesOf(task), own)',
      'return inheritedControls(context, [], own)',
      ['tests/daemon/controls.test.ts', 'tests/tasks'],
    ],
    [
      'a chat log speaks to the session of another',
      `${server}/chat-logs/create-chat-log-duty.ts`,
      'if (!isOf(stored, name))',
      'if (false)',
      logs,
    ],
    [
      'an answer is written before the last message has one',
      `${server}/chat-logs/create-chat-log-duty.ts`,
      "if (lastHeard(stored, pending) > stored.entries.findLastIndex(({ role }) => role === 'assistant'))\n      return false",
      '',
      logs,
    ],
  ],
}
