import type { Json, JsonObject } from '@cadre/core'
import type {
  ApprovalDiff,
  EntriesPage,
  Forecast,
  Login,
  Me,
  NewTask,
  Page,
  Person,
  ProblemItem,
  RewindResult,
  Role,
  SearchHit,
  SessionDetail,
  Started,
  TaskChange,
  TaskItem,
  TreeAnswer,
  WorkspaceItem,
  WorkspaceStep,
} from './answers.ts'
import type { Approval, DecisionRequest, DecisionResult } from './approval.ts'
import type { CallDetail } from './call-detail.ts'
import type { SessionRow } from './session-row.ts'

/** Each operation's method and path. `{name}` is a path parameter. The server's route table must have exactly these operations. */
export const operations = {
  login: ['POST', '/api/login'],
  logout: ['POST', '/api/logout'],
  describe: ['GET', '/api/openapi.json'],
  me: ['GET', '/api/me'],
  status: ['GET', '/api/status'],
  listSessions: ['GET', '/api/sessions'],
  startSession: ['POST', '/api/sessions'],
  getSession: ['GET', '/api/sessions/{id}'],
  getTree: ['GET', '/api/sessions/{id}/tree'],
  listEntries: ['GET', '/api/sessions/{id}/entries'],
  getJournal: ['GET', '/api/sessions/{id}/journal'],
  putJournal: ['PUT', '/api/sessions/{id}/journal'],
  getCall: ['GET', '/api/sessions/{id}/calls/{call}'],
  sendMessage: ['POST', '/api/sessions/{id}/messages'],
  cancelSession: ['POST', '/api/sessions/{id}/cancel'],
  resumeSession: ['POST', '/api/sessions/{id}/resume'],
  handOff: ['POST', '/api/sessions/{id}/handoff'],
  rewindSession: ['POST', '/api/sessions/{id}/rewind'],
  forkSession: ['POST', '/api/sessions/{id}/fork'],
  answerQuestion: ['POST', '/api/sessions/{id}/answers/{question}'],
  listApprovals: ['GET', '/api/approvals'],
  getApproval: ['GET', '/api/approvals/{id}'],
  getApprovalDiff: ['GET', '/api/approvals/{id}/diff'],
  decide: ['POST', '/api/approvals/{id}/decision'],
  listTasks: ['GET', '/api/tasks'],
  createTask: ['POST', '/api/tasks'],
  changeTask: ['PATCH', '/api/tasks/{id}'],
  deleteTask: ['DELETE', '/api/tasks/{id}'],
  listWorkspaces: ['GET', '/api/workspaces'],
  getWorkspaceDiff: ['GET', '/api/workspaces/{id}/diff'],
  getForecast: ['GET', '/api/workspaces/{id}/forecast'],
  mergeWorkspace: ['POST', '/api/workspaces/{id}/merge'],
  rollBackWorkspace: ['POST', '/api/workspaces/{id}/rollback'],
  cleanWorkspace: ['POST', '/api/workspaces/{id}/clean'],
  listAgents: ['GET', '/api/agents'],
  getAgent: ['GET', '/api/agents/{name}'],
  lint: ['GET', '/api/lint'],
  explain: ['POST', '/api/policy/explain'],
  listProblems: ['GET', '/api/problems'],
  listAudit: ['GET', '/api/audit'],
  listInbox: ['GET', '/api/inbox'],
  addToInbox: ['POST', '/api/inbox/{file}'],
  listOutbox: ['GET', '/api/outbox'],
  listMailboxes: ['GET', '/api/mailboxes'],
  search: ['GET', '/api/search'],
  listPeople: ['GET', '/api/people'],
  addPerson: ['POST', '/api/people'],
  removePerson: ['DELETE', '/api/people/{name}'],
  events: ['GET', '/api/events'],
} as const

export type OperationName = keyof typeof operations

interface Paging {
  readonly limit?: number
  readonly after?: string
}

/** Every operation's parameters, body and answer. `params` are in the path. */
export interface Operations {
  /** With the secret from `cadre open`, or with a token and no body. */
  login: { body: { readonly secret?: string }; answer: Login }
  logout: { answer: Record<string, never> }
  describe: { answer: JsonObject }
  me: { answer: Me }
  /** The same JSON as `cadre status --json`. */
  status: { answer: JsonObject }
  listSessions: {
    query: Paging & {
      readonly roots?: boolean
      readonly root?: string
      readonly state?: string
      readonly agent?: string
      readonly text?: string
      readonly since?: string
    }
    answer: Page<SessionRow>
  }
  startSession: {
    body: {
      readonly work: string
      readonly agent?: string
      readonly team?: string
      readonly workspace?: string
      readonly allow?: readonly string[]
    }
    idempotent: true
    answer: Started
  }
  getSession: { params: { readonly id: string }; answer: SessionDetail }
  getTree: { params: { readonly id: string }; answer: TreeAnswer }
  listEntries: {
    params: { readonly id: string }
    query: { readonly limit?: number; readonly after?: number; readonly before?: number }
    answer: EntriesPage
  }
  /** The file's text. `etag` is the hash of its bytes: send it as `If-Match` with a change. */
  getJournal: {
    params: { readonly id: string }
    answer: { readonly text: string; readonly etag: string }
  }
  putJournal: {
    params: { readonly id: string }
    body: { readonly text: string }
    ifMatch: true
    answer: { readonly entries: number }
  }
  getCall: { params: { readonly id: string; readonly call: string }; answer: CallDetail }
  sendMessage: {
    params: { readonly id: string }
    body: { readonly text: string }
    idempotent: true
    answer: Started
  }
  cancelSession: {
    params: { readonly id: string }
    body: { readonly reason?: string }
    answer: { readonly cancelled: boolean }
  }
  resumeSession: { params: { readonly id: string }; answer: Started }
  handOff: {
    params: { readonly id: string }
    body: { readonly handoff: number; readonly prompt?: string }
    idempotent: true
    answer: Started
  }
  /** Removes the entry `seq` and everything after it. With `dryRun`, only reports what would happen. */
  rewindSession: {
    params: { readonly id: string }
    query: { readonly dryRun?: boolean }
    body: { readonly seq: number }
    ifMatch: true
    answer: RewindResult
  }
  /** Starts a new session with the conversation before the entry `seq`. */
  forkSession: {
    params: { readonly id: string }
    body: { readonly seq: number; readonly work: string; readonly agent?: string }
    idempotent: true
    answer: Started
  }
  answerQuestion: {
    params: { readonly id: string; readonly question: string }
    body: { readonly answer: 'done' | 'again' | 'leave'; readonly action: string; readonly reason?: string }
    answer: DecisionResult
  }
  listApprovals: { query: Paging & { readonly status?: string }; answer: Page<Approval> }
  getApproval: { params: { readonly id: string }; answer: Approval }
  getApprovalDiff: { params: { readonly id: string }; answer: ApprovalDiff }
  decide: { params: { readonly id: string }; body: DecisionRequest; answer: DecisionResult }
  listTasks: {
    query: { readonly query?: string }
    answer: { readonly at: string; readonly items: readonly TaskItem[] }
  }
  createTask: { body: NewTask; idempotent: true; answer: TaskItem }
  changeTask: { params: { readonly id: string }; body: TaskChange; ifMatch: true; answer: TaskItem }
  deleteTask: { params: { readonly id: string }; ifMatch: true; answer: { readonly deleted: number } }
  listWorkspaces: { answer: { readonly items: readonly WorkspaceItem[] } }
  getWorkspaceDiff: {
    params: { readonly id: string }
    query: { readonly call?: string }
    answer: { readonly stat: string; readonly patch: string; readonly steps: readonly WorkspaceStep[] }
  }
  getForecast: { params: { readonly id: string }; answer: Forecast }
  mergeWorkspace: { params: { readonly id: string }; answer: JsonObject }
  rollBackWorkspace: {
    params: { readonly id: string }
    body: { readonly commit?: string }
    answer: JsonObject
  }
  cleanWorkspace: { params: { readonly id: string }; answer: JsonObject }
  /** The same JSON as `cadre agents list --json`, `agents show --json`, `lint --json` and `policy explain --json`. */
  listAgents: { answer: { readonly items: readonly JsonObject[] } }
  getAgent: { params: { readonly name: string }; answer: JsonObject }
  lint: { answer: JsonObject }
  explain: {
    body: {
      readonly agent?: string
      readonly tool: string
      readonly input: JsonObject
      /** The same format as `--depth`. */
      readonly depth?: string
    }
    answer: JsonObject
  }
  listProblems: { answer: { readonly items: readonly ProblemItem[] } }
  listAudit: {
    query: Paging & { readonly type?: string; readonly session?: string; readonly decision?: string }
    answer: Page<JsonObject>
  }
  listInbox: { query: Paging; answer: Page<JsonObject> }
  addToInbox: {
    params: { readonly file: string }
    body: { readonly line: Json }
    idempotent: true
    answer: { readonly added: boolean }
  }
  listOutbox: { query: Paging; answer: Page<JsonObject> }
  listMailboxes: { query: Paging; answer: Page<JsonObject> }
  search: {
    query: { readonly text: string; readonly limit?: number }
    /** `complete` is false if one request could not search everything. */
    answer: { readonly items: readonly SearchHit[]; readonly complete: boolean }
  }
  listPeople: { answer: { readonly items: readonly Person[] } }
  /** Cadre returns the `token` only once. */
  addPerson: {
    body: { readonly name: string; readonly roles: readonly Role[] }
    answer: Person & { readonly token: string }
  }
  removePerson: { params: { readonly name: string }; answer: { readonly removed: boolean } }
  events: {
    query: { readonly after?: string; readonly index?: boolean; readonly root?: readonly string[] }
    answer: never
  }
}
