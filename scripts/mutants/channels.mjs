const channels = 'packages/channels/src'
const slack = [`${channels}/slack/create-slack-sender.test.ts`]
const approvals = [`${channels}/slack/slack-approvals.test.ts`]
const mail = [`${channels}/mail/create-mail-sender.test.ts`]

/** Slack, mail and webhooks: each message once, and only from people who may send it. */
export const channelMutants = {
  tests: slack,
  rows: [
    [
      'a message to Slack with an unknown result is sent again',
      `${channels}/slack/post-once.ts`,
      "if (found.kind === 'unknown')",
      'if (false)',
    ],
    [
      'a message that Slack accepted is sent again',
      `${channels}/slack/post-once.ts`,
      "if (found.kind === 'found') return",
      'if (false) return',
    ],
    [
      'a message is missing although not all pages were searched',
      `${channels}/slack/find-sent.ts`,
      "return reply.body['has_more'] === true ? { kind: 'unknown' } : { kind: 'absent' }",
      "return { kind: 'absent' }",
    ],
    [
      'an email with an unknown result may be sent again',
      `${channels}/mail/create-mail-sender.ts`,
      "if (isUnderWay && typeof responseCode !== 'number')",
      'if (false)',
      mail,
    ],
    [
      'an email that was being sent at a crash counts as not sent',
      `${channels}/mail/create-mail-sender.ts`,
      "state === 'sending' ? 'unknown' : 'not_done'",
      "'not_done'",
      mail,
    ],
    [
      'a message is sent before its start is recorded',
      'packages/home/src/outbox/open-outbox.ts',
      "if (before?.state === 'sending') throw inDoubt(channel, key)",
      '',
      ['packages/home/src/outbox/open-outbox.test.ts'],
    ],
    [
      'anybody in Slack decides approvals',
      `${channels}/slack/slack-approvals.ts`,
      'if (!approvers.has(user)) {',
      'if (false) {',
      approvals,
    ],
    [
      'a click on another message decides',
      `${channels}/slack/slack-approvals.ts`,
      ' || entry.channel !== press.channel || entry.ts !== press.ts)',
      ')',
      approvals,
    ],
    [
      'an approval that Slack shows only in part can be approved there',
      `${channels}/slack/approval-message.ts`,
      ' && (isWhole || !permittingChoices.has(choice))',
      '',
      approvals,
    ],
    [
      'an old signed request is accepted again',
      `${channels}/verify-request.ts`,
      'Math.abs(now / 1000 - Number(time)) > hook.tolerance',
      'Number(time) * 1000 - now > hook.tolerance',
      [`${channels}/slack/slack-webhook.test.ts`],
    ],
    [
      'an email leaves the Maildir before it is stored',
      `${channels}/mail/maildir-source.ts`,
      'if (!(await take(mail))) return undefined',
      'await take(mail)',
      [`${channels}/mail/maildir-source.test.ts`],
    ],
  ],
}
