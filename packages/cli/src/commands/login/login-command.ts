import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const loginCommand = defineCommand({
  brief: commands.login,
  about:
    'Signs in to GitHub Copilot: shows a code and the address where you enter it, and waits. If the Copilot language server is not\n' +
    'installed, asks before installing it with npm in your user data folder. Uses the token in GH_COPILOT_TOKEN or\n' +
    "GITHUB_COPILOT_TOKEN, or an editor's sign-in on this machine, if there is one.\n" +
    'Cadre never sees the token: the language server stores it.\n' +
    'Exits with 0 when you are signed in, with 1 when the code expired or was denied, or when the account has no access to Copilot.\n' +
    'With --json: {"type": "code", "code", "address", "expiresIn"}, then {"type": "login", "status", "user", "source"}.',
  examples: [
    ['login', 'asks before installing anything'],
    ['login --yes', 'installs missing packages without asking'],
    ['login --sdk', 'installs the Copilot SDK as well'],
  ],
  parameters: {
    flags: {
      yes: booleanFlag(
        'Answer yes to every question: install packages, and use an account that is signed in on this machine',
      ),
      sdk: booleanFlag('Install the Copilot SDK as well'),
      home: homeFlag,
      json: jsonFlag,
    },
  },
  load: async () => (await import('./login.ts')).login,
})

export const logoutCommand = defineCommand({
  brief: commands.logout,
  about:
    'Signs Cadre out of GitHub Copilot. Editors on this machine stay signed in, unless you add --forget. A token in an environment\n' +
    'variable cannot be removed: the command then prints the name of the variable and exits with 1.',
  examples: [
    ['logout', 'editors stay signed in'],
    ['logout --forget', "removes the stored sign-ins, including editors' sign-ins"],
  ],
  parameters: {
    flags: {
      forget: booleanFlag("Remove the stored sign-ins from this machine, including editors' sign-ins"),
      home: homeFlag,
      json: jsonFlag,
    },
  },
  load: async () => (await import('./logout.ts')).logout,
})
