import { homedir } from 'node:os'
import { createModels } from '@cadre/backends'
import { createOrchestrator } from '@cadre/core'
import * as files from '@cadre/files'
import {
  createGuard,
  findHooks,
  findSandbox,
  judgeFolder,
  lookAtHome,
  ownArtifact,
  whatFolderBrings,
} from '@cadre/gate'
import { createTools } from '@cadre/tools'

const [project, userHome, settings] = [process.cwd(), homedir(), `${homedir()}/.config/cadre`]
const homes = files.openOwnHomes(`${settings}/homes.jsonl`)
const home = files.openHome({ cwd: project, env: process.env, created: (path) => homes.add(path) })
const agents = files.createAgents({ home: home.path, project, userHome })

// Cadre uses what the folder brings once a person trusts it; until then agents are read-only.
const homeState = await lookAtHome(home.path, homes)
const found = { project, home: home.path, homeState, agents: agents.list(), userHome }
const brought = await whatFolderBrings(found)
const folder = judgeFolder(project, brought, files.createTrust({ file: `${settings}/trust.yaml` }))
const trusted = (item) => folder.trusts(item)
// A home that somebody else created is not used at all.
for (const { file, what } of folder.missing)
  if (file === home.path) throw new Error(`${file} ${what}; run "cadre run" in a terminal to trust it`)
const ownHome = home.path

const policy = await files.loadPolicy({
  user: `${settings}/policy.yaml`,
  project: home.at('storage', 'policy.yaml'),
  trusted: () => true,
})
const [fault] = policy.diagnostics.filter(({ severity }) => severity === 'error')
if (fault !== undefined) throw new Error(files.showDiagnostic(fault))
const enforced = files.enforcePolicy(policy, { builtIns: [] })

const guard = createGuard({
  home,
  userHome,
  folder,
  ownHome,
  trusted,
  policy,
  agents,
  sandbox: await findSandbox(process.env),
  hooks: findHooks({ project, userHome, policyFolder: '/etc/cadre/hooks.d', ownHome, trusted }),
  environment: process.env,
  tell: (message) => console.error(message),
})
const engine = await files.createFileEngine({
  home,
  clock: files.systemClock,
  // A person is asked here. Nothing back leaves it open: the session sleeps, and may be answered days later by another process.
  answer: async (_session, { text }) => {
    console.error(text)
    return process.env.APPROVE === undefined ? undefined : { decision: 'approve', by: process.env.APPROVE }
  },
})
const team = createOrchestrator(
  {
    engine,
    models: files.allowOnly(createModels(), policy),
    agents: enforced.permitted(agents),
    tools: createTools({
      home: home.path,
      places: guard.places,
      hiddenIn: guard.hiddenIn,
      own: ownArtifact,
      commands: { home, sandbox: guard.sandbox, network: policy.network, environment: policy.environment },
    }),
    rules: [...enforced.rules, ...guard.rules],
    answerers: guard.answerers,
    reviewers: guard.reviewers,
    attend: guard.attend,
    locate: guard.places.locate,
    refuse: enforced.refuse,
    clock: files.systemClock,
    ids: files.sessionIds,
    emit: (event) => event.type === 'call.judged' && console.error(event.tool, event.decision, event.rule),
  },
  { ceilings: enforced.ceilings },
)

const request = { agent: 'lead', work: 'Say hello', workspace: project }
const result = await team.start(request, new AbortController().signal)
console.log(
  result.kind === 'report'
    ? result.report.text
    : `waits for ${result.questions.map(({ session, name }) => `${session} ${name}`)}`,
)
await engine.close()
