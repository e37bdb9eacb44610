const replay = 'packages/replay/src'
const compare = `${replay}/compare-runs.ts`
const command = ['tests/cli/replay.test.ts']

/** Differences that a replay must report. */
export const replayMutants = {
  tests: ['tests/replay/differences.test.ts'],
  rows: [
    [
      'a changed decision is no difference',
      compare,
      'if (!isDecided) found.push(',
      'if (false) found.push(',
      command,
    ],
    [
      'a changed prompt is no difference',
      compare,
      '!was.isPromptEdited && before.systemPrompt !== after.systemPrompt',
      'false',
      command,
    ],
    [
      'a changed definition of an agent is no difference',
      compare,
      'return stable(one) === stable(other) ? [] : [[field, one, other]]',
      'return []',
    ],
    [
      'changed arguments are no difference',
      compare,
      'if (isDecided && one !== other) found',
      'if (false) found',
    ],
    ['a changed result is no difference', compare, 'if (before === after) return []\n', 'return []\n'],
    [
      'a changed message of Cadre is no difference',
      compare,
      'if (one?.content === other?.content && one?.from === other?.from) return []',
      'return []',
    ],
    ['fewer rounds are no difference', compare, 'if (is.replies.length < was.replies.length)', 'if (false)'],
    ['more rounds are no difference', compare, 'else if (now.isBeyond)', 'else if (false)'],
    ['another end is no difference', compare, 'if (stable(before) === stable(after)) return []', 'return []'],
    [
      'a recording contains secrets',
      `${replay}/create-fixture.ts`,
      'mapTexts(maskedJson(value, secrets), ',
      'mapTexts(value, ',
      command,
    ],
    [
      'a fixture whose sessions are in a circle is used',
      `${replay}/find-fixture-fault.ts`,
      ' || Number(number) > index)',
      ')',
      command,
    ],
  ],
}
