/** What decides: rules for the gate, hooks, approvals, and the sandbox in which commands run. */
export {}
