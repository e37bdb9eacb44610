import { expect, it } from 'vitest'

interface Found {
  readonly line: number
  readonly phrase: string
  readonly instead: string
}

const { findPhrases } = (await import(new URL('../scripts/lib/phrases.mjs', import.meta.url).href)) as {
  findPhrases(text: string): Found[]
}

it.each([
  ['how to mend it', 'mend'],
  ['So does a reply without usage', 'So does a'],
  ['the time limit; also how long it waits', '; also how'],
  ['old and new version in turns', 'in turns'],
  ["a run's record holds the votes", 'record holds'],
  ['it answers with a list of them', 'with a list of them'],
  ['it is a link to a place outside', 'link to a place'],
  ['tools must be a list. Until it is, nothing runs', 'Until it is,'],
  ['this handoff names no agent', 'names no agent'],
  ['args must be a list of texts', 'list of texts'],
  ['this line and the lines after it wait', 'after it wait'],
  ['the run goes on.', 'goes on'],
  ['and a new start goes on where it was', 'goes on'],
  ['a new entry is taken up in the next round', 'taken up'],
  ['Coming to rest; press a key', 'Coming to rest'],
  ['what waits: approval-1', 'what waits'],
  ['it waits for your decision', 'waits for your decision'],
  ['the result stands in the file', 'stands in'],
  ['each change is said on standard error', 'is said'],
  ['Whoever runs the session finds it', 'Whoever'],
  ['the purse of the run', 'purse'],
  ['everything the folder brings', 'folder brings'],
  ['Ctrl-C once more leaves', 'once more'],
  ['a team at work', 'at work'],
  ['Ctrl-C twice leaves at once', 'leaves at once'],
  ['watches over a home', 'watches over'],
  ['12 lines are passed over', 'passed over'],
  ['the setting is left out', 'is left out'],
  ['it is tried again with the next change', 'is tried again'],
  ['a policy that cannot be understood', 'cannot be understood'],
  ['subagents are switched off', 'switched off'],
  ['changes are only looked at every second', 'are only looked at'],
  ['the model "x" is not known: try y', 'is not known'],
  ['what was read before stays in force', 'stays in force'],
  ['nothing can be written: make space', 'make space'],
  ['This belongs to no entry', 'belongs to no'],
  ['no such lane; there are: a, b', '; there are: '],
  ['unknown key; did you mean x?', '; did you mean'],
  ['the home as it was found', 'as it was found'],
  ['a person may start it all the same', 'all the same'],
  ['the lease is given back', 'is given back'],
  ['a task that is under way', 'under way'],
  ['This must be a file; put one in its place', 'put one in its place'],
  ['This must be a plain file', 'plain file'],
  ['Lint leaves out commands', 'leaves out'],
  ['Too long. Cadre left it out.', 'left it out'],
  ['it waited in vain', 'in vain'],
  ['a file inside of the home', 'inside of the'],
  ['the names ignore case', 'names ignore case'],
  ['it asks before it writes, also after a resume', ', also after'],
  ['Switch on Socket Mode', 'Switch on'],
  ['people switch the sandbox off', 'switch the sandbox off'],
  ['"x" is no session.', 'is no session'],
  ['The session is not running any more.', 'any more'],
  ['it was stopped, with everything it had started', 'with everything it had started'],
  ['Name the agent and what it is to do', 'it is to do'],
  ['a list, or one text with commas', 'text with commas'],
  ['the step repeats without end', 'without end'],
  ['tasks that depend on each other in a circle', 'in a circle'],
  ['the extension uses nothing of the workspace', 'nothing of the'],
  ['Tokens are in none of them', 'are in none of them'],
  ['it would take for ever', 'for ever'],
  ['the file is written anew', 'anew'],
  ['the default in the place of a missing model', 'in the place of'],
  ['the tool is not there', 'is not there'],
  ['changes apply at once', 'apply at once'],
  ['throws when lines were left over', 'were left over'],
  ['how the policy decides about a call', 'decides about a'],
  ['a session with an own workspace', 'an own workspace'],
  ['it leaves all other bytes', 'all other bytes'],
  ['Enter no secrets', 'Enter no'],
  ['it starts a program again that failed', 'starts a program again that'],
  ['A limit. So many rows are shown', '. So many rows'],
  ['Token, shown only now', 'shown only now'],
  ['the session continues at once', 'continues at once'],
  ['it shows the question of a server', 'the question of a server'],
  ['people who gave the run work', 'gave the run work'],
  ['the server has your permissions, and Cadre tells you so', 'tells you so'],
  ['`token` tells whether the person has one', 'tells whether'],
  ['everyone can still decide, as before.', ', as before'],
  ['otherwise Cadre searches as with `ranked`', 'searches as with'],
  ['an entry of its own kind', 'of its own kind'],
])('finds the phrase in "%s"', (text, phrase) => {
  expect(findPhrases(text)).toEqual([{ line: 1, phrase, instead: expect.stringMatching(/\w/) }])
})

it.each([
  'Flags that go on the command line',
  'The install takes up to 5 s and takes up space',
  'The description stands in for the name',
  'Eight sessions run at once',
  'I recommend amendments',
  'git brings tracked files into the home',
  'The session waits for a message',
  'The call that waits in the queue',
  'The version is not known when the files are written',
  'The words left out of the summary',
  'Both lines are all the same length',
  'The plain files of a folder',
  'Unknown key. Did you mean x?',
  'There is no session lead-1. The command also works in a folder',
  'Do not create any more tasks',
  'Switch to another agent',
  'the values of its own variables, and several at once',
  'decide about whether to rest, or decide for a call',
  'an own property of the object',
])('finds nothing in "%s"', (text) => {
  expect(findPhrases(text)).toEqual([])
})

it('finds a phrase that spans lines', () => {
  expect(findPhrases('first\nThe session goes\n  on.')).toEqual([
    { line: 2, phrase: 'goes\n  on', instead: expect.any(String) },
  ])
})
