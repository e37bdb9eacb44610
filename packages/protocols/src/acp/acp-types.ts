/** The protocol types that Cadre uses. The unstable part of the package is used only for subagents. */
import type * as acp from '@agentclientprotocol/sdk/unstable'

export type SessionUpdate = acp.SessionUpdate
export type ToolCallContent = acp.ToolCallContent
export type ToolKind = acp.ToolKind
export type ContentBlock = acp.ContentBlock
export type ClientCapabilities = acp.ClientCapabilities
export type McpServer = acp.McpServer
export type PermissionOption = acp.PermissionOption
export type RequestPermissionRequest = acp.RequestPermissionRequest
export type SessionConfigOption = acp.SessionConfigOption
export type SessionModeState = acp.SessionModeState
export type AvailableCommand = acp.AvailableCommand
export type PlanEntry = acp.PlanEntry
export type PromptResponse = acp.PromptResponse
export type ElicitationSchema = acp.ElicitationSchema
export type ElicitationPropertySchema = acp.ElicitationPropertySchema
export type StopReason = acp.StopReason
export type SessionInfo = acp.SessionInfo
