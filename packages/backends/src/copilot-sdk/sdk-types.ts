/**
 * The parts of `@github/copilot-sdk` that Cadre uses. The package is optional and found at run time, so its types are not
 * available when Cadre is compiled.
 */
import type { ChildProcess } from 'node:child_process'

export interface Sdk {
  readonly CopilotClient: new (options: SdkClientOptions) => SdkClient
}

export interface SdkClientOptions {
  readonly connection: { readonly kind: 'stdio' }
  readonly mode: 'empty' | 'copilot-cli'
  readonly workingDirectory: string
  readonly baseDirectory: string
  readonly logLevel: 'none'
  readonly env: { readonly [name: string]: string | undefined }
  readonly gitHubToken?: string
  readonly useLoggedInUser: boolean
}

export interface SdkClient {
  start(): Promise<void>
  forceStop(): Promise<void>
  createSession(config: SdkSessionConfig): Promise<SdkSession>
  deleteSession(id: string): Promise<void>
  listModels(): Promise<readonly SdkModel[]>
  getAuthStatus(): Promise<{ readonly isAuthenticated: boolean }>
  ping(): Promise<unknown>
  /** Not part of the public interface, but the only way to learn immediately that the runtime has exited. */
  readonly cliProcess?: ChildProcess | null
}

export interface SdkModel {
  readonly id: string
  readonly capabilities?: {
    readonly limits?: {
      readonly max_context_window_tokens?: number
      readonly max_output_tokens?: number
    }
  }
  readonly policy?: { readonly state?: string }
  readonly billing?: { readonly multiplier?: number }
}

export interface SdkSessionConfig {
  readonly model: string
  readonly clientName: string
  readonly provider?: SdkProvider
  /** Without a handler, a call stays pending until `handlePendingToolCall`. */
  readonly tools: readonly SdkTool[]
  readonly availableTools: readonly string[]
  readonly systemMessage: { readonly mode: 'replace'; readonly content: string }
  readonly onEvent: (event: SdkEvent) => void
  readonly onPermissionRequest: (request: SdkPermissionRequest) => SdkPermission
  readonly hooks: {
    readonly onPreToolUse: (call: SdkPreToolCall) => Promise<SdkPreToolUse>
  }
  readonly [option: string]: unknown
}

export interface SdkProvider {
  readonly type: string
  readonly wireApi?: string
  readonly baseUrl: string
  readonly apiKey?: string
  readonly headers?: { readonly [name: string]: string }
  readonly azure?: { readonly apiVersion: string }
  readonly maxPromptTokens?: number
  readonly maxOutputTokens?: number
}

export interface SdkTool {
  readonly name: string
  readonly description: string
  readonly parameters: object
  readonly overridesBuiltInTool: true
  readonly defer: 'never'
}

export interface SdkPermissionRequest {
  readonly kind: string
  readonly toolName?: string
}

export type SdkPermission =
  | { readonly kind: 'approve-once' }
  | { readonly kind: 'reject'; readonly feedback: string }

export interface SdkPreToolCall {
  /** A subagent has its own. */
  readonly sessionId?: string
  readonly toolName: string
  readonly toolArgs?: unknown
}

export type SdkPreToolUse =
  | { readonly permissionDecision: 'allow' }
  | { readonly permissionDecision: 'deny'; readonly permissionDecisionReason: string }

export interface SdkSession {
  readonly sessionId: string
  send(message: SdkMessage): Promise<string>
  abort(): Promise<void>
  readonly rpc: {
    readonly tools: { handlePendingToolCall(answer: SdkToolResult): Promise<unknown> }
  }
}

export interface SdkMessage {
  readonly prompt: string
  /** `immediate`: goes to the model with its next request, within the current turn. */
  readonly mode?: 'immediate'
  readonly attachments?: readonly SdkAttachment[]
}

export interface SdkAttachment {
  readonly type: 'blob'
  readonly data: string
  readonly mimeType: string
}

export interface SdkToolResult {
  readonly requestId: string
  readonly result: {
    readonly textResultForLlm: string
    readonly resultType: 'success' | 'failure'
    readonly binaryResultsForLlm?: readonly {
      readonly data: string
      readonly mimeType: string
      readonly type: 'image'
    }[]
  }
}

export interface SdkEvent {
  readonly type: string
  /** Set for a subagent of the runtime. */
  readonly agentId?: string
  readonly data: { readonly [field: string]: unknown }
}
