/** What VS Code knows the settings page by; `activationEvents` of the manifest has it as well. */
export const panelType = 'copilotMultiAgent.settings'
