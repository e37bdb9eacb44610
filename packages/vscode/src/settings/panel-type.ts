/** The id of the settings page in VS Code; also in `activationEvents` of the manifest. */
export const panelType = 'copilotMultiAgent.settings'
