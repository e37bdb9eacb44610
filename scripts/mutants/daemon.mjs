const server = 'packages/server/src'
const keeper = [`${server}/sessions`]
const inbox = [`${server}/inbox/create-inbox-duty.test.ts`]
const mail = [`${server}/mailboxes`]
const late = [`${server}/sessions/late-answers.test.ts`]
const logs = [`${server}/chat-logs`]

/** The duties of the daemon, its keeper and its queues. */
export const daemonMutants = {
  tests: keeper,
  rows: [
    [
      'a message is removed from the queue before it is recorded',
      `${server}/sessions/deliveries.ts`,
      'if (!hasReceived(stored, request.work.message)) return false',
      '',
    ],
    [
      'a queued request is lost when the process dies',
      `${server}/sessions/delivery-queue.ts`,
      'if (this.#isKnown(request))',
      'if (this.#isKnown(request) && file === undefined)',
    ],
    [
      'a message overtakes another',
      `${server}/sessions/delivery-queue.ts`,
      '(a.file < b.file ? -1 : 1)',
      '(a.file < b.file ? 1 : -1)',
    ],
    [
      'a queued message starts a cancelled session',
      `${server}/sessions/cancel-session.ts`,
      'const dropped = deliveries.drop(session)',
      'const dropped = 0',
    ],
    [
      'the children of a cancelled session keep running',
      `${server}/sessions/cancel-session.ts`,
      'for (const child of openChildren(stored)) {',
      'for (const child of openChildren(stored).slice(0, 0)) {',
    ],
    [
      'more sessions run at once than the limit allows',
      `${server}/sessions/jobs.ts`,
      'this.#holds === 0 && this.#running.size < this.#options.parallel()',
      'this.#holds === 0',
    ],
    [
      'the daemon resumes sessions in untrusted folders',
      `${server}/sessions/foreign-workspace-reason.ts`,
      'if (trusted) return undefined',
      'return undefined',
    ],
    [
      'the daemon resumes sessions of a deleted agent',
      `${server}/sessions/session-runs.ts`,
      'const gone = this.#removalOf(spec.agent)',
      'const gone = undefined',
      [...keeper, `${server}/agents`],
    ],
    [
      'an answer has no effect if another session of its tree is running',
      `${server}/sessions/session-runs.ts`,
      'if (this.jobs.hasTree(root)) {\n      this.#late.set(session, root)',
      'if (this.jobs.hasTree(root)) {',
      late,
    ],
    [
      'after a restart, an answer has no effect on a child whose run waits',
      `${server}/sessions/sessions-duty.ts`,
      'resumed.add(id)\n',
      'if (root === undefined) resumed.add(id)\n',
      late,
    ],
    [
      'a change of the configuration stops a child that a message has woken',
      `${server}/sessions/session-runs.ts`,
      'session: paused.session, root: job.root',
      'session: job.root, root: job.root',
      late,
    ],
    [
      'a decision in a file has no effect when another process ends',
      `${server}/approvals/approvals-duty.ts`,
      'if (isLate || [...elsewhere].some((root) => !isElsewhere(root)))',
      'if (isLate)',
      late,
    ],
    [
      'a cancel below a child of a finished run leaves the child waiting',
      `${server}/sessions/cancel-session.ts`,
      'if (stored.spec.parent !== undefined) await',
      'if (stored.spec.parent === null) await',
      [`${server}/sessions/cancel-session.test.ts`],
    ],
    [
      'an agent’s edit of a session file is taken as a person’s',
      `${server}/sessions/sessions-duty.ts`,
      'if (isUnsandboxedCommandRunning(home)) {\n        for',
      'if (false) {\n        for',
    ],
    [
      'a line is marked as handled too early',
      `${server}/inbox/create-inbox-duty.ts`,
      'file.waits = await handle(name, file, item, routes)\n        if (file.waits !== undefined) break\n        file.reader.done(item)',
      'file.reader.done(item)\n        file.waits = await handle(name, file, item, routes)\n        if (file.waits !== undefined) break',
      inbox,
    ],
    [
      'an inbox line does not wait for the line before it',
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
      'a message is delivered again to an ended session',
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
      'a message reaches a session with more permissions than its sender',
      `${server}/inherited-controls.ts`,
      '(wanted.deniedTools ?? []).every((name) => deniedTools.includes(name))',
      'true',
      mail,
    ],
    [
      'a task escapes the controls of the session that created it',
      `${server}/tasks/perform-action.ts`,
      'return inheritedControls(context, sessionsBehindTask(task), own)',
      'return inheritedControls(context, [], own)',
      ['tests/daemon/controls.test.ts', 'tests/tasks'],
    ],
    [
      'a chat log sends to another chat log’s session',
      `${server}/chat-logs/create-chat-log-duty.ts`,
      'if (!isFromLog(stored, name))',
      'if (false)',
      logs,
    ],
    [
      'an answer is written before the last message is answered',
      `${server}/chat-logs/create-chat-log-duty.ts`,
      "if (lastDelivered(stored, pending) > stored.entries.findLastIndex(({ role }) => role === 'assistant'))\n      return false",
      '',
      logs,
    ],
  ],
}
