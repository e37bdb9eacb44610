import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, portFlag, textFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const openCommand = defineCommand({
  brief: commands.open,
  about:
    'Opens a live page in your browser that shows all sessions in a home directory: what each agent is doing, who allowed every call\n' +
    'and why, and the pending approvals. The printed link works once, for 60 seconds.\n' +
    'If a daemon is running, it serves the page, and you can also start, message and cancel sessions. Otherwise this command serves\n' +
    'the page itself: you can inspect and decide until you press Ctrl-C, or until nobody has used the page for 30 minutes.\n\n' +
    'With --export, Cadre writes the tree, the conversations and the timeline of one run to a single HTML file that needs no server\n' +
    'and no network. Cadre masks secrets in known formats and secret values from the environment; read the file before you share it.',
  examples: [
    ['open', 'open the page in your browser'],
    [
      'open --no-browser',
      'only print the link, for example on a remote machine: ssh -L 7373:127.0.0.1:7373 HOST',
    ],
    ['open --read-only', 'inspect without being able to change anything'],
    ['open --role approver', 'inspect sessions and decide approvals, but do not start or cancel sessions'],
    ['open --export . --session lead-4k2', 'write a run to one HTML file, for a pull request or an incident'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      role: {
        kind: 'enum',
        values: ['viewer', 'operator', 'approver', 'admin'],
        brief: 'What you may do on the page; default: operator and approver together',
        placeholder: 'ROLE',
        optional: true,
      },
      readOnly: booleanFlag('Open the page read-only; same as --role viewer'),
      port: portFlag('The port, if no daemon is running; default: 7373, or a free one'),
      export: textFlag(
        'Write a run to an HTML file in DIR, with secrets masked, without opening the page',
        'DIR',
      ),
      session: textFlag('With --export: a session in the run; default: the most recent run', 'ID'),
      noBrowser: booleanFlag('Print the link, but do not open a browser'),
      json: jsonFlag,
    },
  },
  load: async () => (await import('./open.ts')).openPageCommand,
})
