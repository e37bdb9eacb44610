/** The id of the settings page in VS Code, as in `activationEvents` of the manifest. */
export const panelType = 'copilotMultiAgent.settings'
