// A team of five whose members write to each other: see `../engine/chatter.ts`.
//
//    run EACH       starts the run; each member sends this many messages
//    resume EACH    continues it
import { createOrchestrator } from '@cadre/core'
import { openHome, openMailboxes, openTeams, sessionIds, teamRules } from '@cadre/home'
import { createFileEngine, sessionSummaryOf } from '@cadre/journal'
import { agentsOf, defineAgent, scriptedModels } from '@cadre/testing'
import { createTools } from '@cadre/tools'
import { chatterAgents, chatterLanes } from '../engine/chatter.ts'
import { clock } from './effects.ts'
import type { Play } from './programs.ts'

const names = ['create_team', 'delete_team', 'send_message']
const never = new AbortController().signal

export const play: Play = async (path, [verb, each]) => {
  const home = openHome({ home: path, cwd: path, env: {} })
  const engine = await createFileEngine({ home, clock })
  const teams = openTeams(home, { maxMessages: 100_000 })
  const agents = agentsOf(chatterAgents.map(defineAgent))
  const tools = createTools({
    home: home.path,
    teams: true,
    messages: () => ({
      mailboxes: openMailboxes(home),
      teams,
      agents,
      agentOf: async (session) => sessionSummaryOf(home, session)?.agent,
      attended: () => false,
    }),
  })
  const orchestrator = createOrchestrator({
    engine,
    models: scriptedModels(chatterLanes(Number(each))),
    agents,
    tools: tools.filter(({ name }) => names.includes(name)),
    rules: teamRules(teams),
    teams,
    clock,
    ids: sessionIds,
    emit: () => {},
  })
  const isStarted = (await engine.read('lead-1')) !== undefined
  if (verb === 'resume' && !isStarted) return { kind: 'never-started' }
  const end = isStarted
    ? await orchestrator.resume('lead-1', {}, never)
    : await orchestrator.start({ id: 'lead-1', agent: 'lead', work: 'talk', workspace: path }, never)
  await engine.close()
  return end
}
