import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine, StoredSession, Tool } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { type Home, openHome, openMailboxes, openTeams, sessionIds, teamRules } from '@cadre/home'
import { createFileEngine, type FileEngine, sessionSummaryOf } from '@cadre/journal'
import { agentsOf, createTestTeam, defineAgent, type TestTeam, type TestTeamOptions } from '@cadre/testing'
import { createTools } from '@cadre/tools'
import { onTestFinished } from 'vitest'

export type TeamRun = TestTeam & { readonly home: Home }
export type TeamRunOptions = Omit<TestTeamOptions, 'engine' | 'teams' | 'clock' | 'ids'> & {
  /** The maximum number of messages per team. */
  readonly maxMessages?: number
  /** Wraps the engine for the orchestrator. */
  readonly wrap?: (engine: Engine) => Engine
  /** Called before every tool. */
  readonly before?: () => Promise<void>
}

function guarded(tool: Tool, before: (() => Promise<void>) | undefined): Tool {
  if (before === undefined) return tool
  return {
    ...tool,
    async run(...given) {
      await before()
      return tool.run(...given)
    },
  }
}

const names = ['create_team', 'delete_team', 'send_message']

/** A real home. Each `open` simulates one process: the previous engine ends. */
export function createTeamWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-team-'))
  const home = openHome({ home: join(folder, '.cadre'), cwd: folder, env: {} })
  let engine: FileEngine | undefined
  onTestFinished(async () => {
    await engine?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    home,
    folder,
    async open({
      maxMessages = 500,
      wrap = (own) => own,
      before,
      ...options
    }: TeamRunOptions): Promise<TeamRun> {
      await engine?.close()
      engine = await createFileEngine({ home, clock: systemClock })
      const teams = openTeams(home, { maxMessages })
      const all = createTools({
        home: home.path,
        teams: true,
        messages: () => ({
          mailboxes: openMailboxes(home),
          teams,
          agents: agentsOf(options.agents.map(defineAgent)),
          agentOf: async (session) => sessionSummaryOf(home, session)?.agent,
          attended: () => false,
        }),
      })
      const tools = all.filter(({ name }) => names.includes(name)).map((tool) => guarded(tool, before))
      const team = createTestTeam({
        ...options,
        engine: wrap(engine),
        clock: systemClock,
        ids: sessionIds,
        teams,
        tools: [...tools, ...(options.tools ?? [])],
        rules: [...teamRules(teams), ...(options.rules ?? [])],
      })
      return { ...team, home }
    },
    answer: (session: string, name: string, decision: string) =>
      (engine as FileEngine).answer(session, name, { decision }),
    async sessions(): Promise<readonly StoredSession[]> {
      const list = (await engine?.list()) ?? []
      return Promise.all(list.map(async ({ id }) => (await engine?.read(id)) as StoredSession))
    },
    lines: (...names: string[]): Record<string, unknown>[] =>
      readFileSync(home.at('teams', ...names), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    config: (team: string) => JSON.parse(readFileSync(home.at('teams', team, 'config.json'), 'utf8')),
  }
}
