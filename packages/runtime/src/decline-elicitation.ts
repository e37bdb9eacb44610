import { declineWithoutAsking } from '@cadre/mcp'
import type { ElicitFromPerson } from './person-port.ts'

/** Declines the questions of MCP servers in a run without a person, such as one of the daemon. A notice in the session says so. */
export const declineElicitation: ElicitFromPerson = async (asked) =>
  declineWithoutAsking(asked, 'there is nobody to ask in this run')
