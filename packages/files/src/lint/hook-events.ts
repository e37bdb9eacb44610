/** Events of VS Code, Copilot CLI and Claude Code, without case. */
const events: ReadonlySet<string> = new Set(
  `sessionstart sessionend userpromptsubmit userpromptsubmitted userprompttransformed userpromptexpansion pretooluse
   posttooluse posttoolusefailure posttoolbatch premcptoolcall precompact postcompact premodelswitch postmodelswitch
   subagentstart subagentstop stop agentstop stopfailure erroroccurred notification permissionrequest permissiondenied setup
   taskcreated taskcompleted teammateidle worktreecreate worktreeremove configchange filechanged cwdchanged directoryadded
   instructionsloaded elicitation elicitationresult messagedisplay`.split(/\s+/),
)

/** Whether any host runs hooks for something of this name. */
export function isHookEvent(name: string): boolean {
  return events.has(name.toLowerCase())
}
