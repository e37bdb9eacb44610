// The GitHub requests of the Copilot language server before it requests a model.
const account = { login: 'fake-user', copilot_plan: 'enterprise', chat_enabled: true, quota_snapshots: {} }
const assignments = {
  Features: [],
  Flights: {},
  Configs: [{ Id: 'vscode', Parameters: {} }],
  ParameterGroups: [],
}

/** The answer to a request for `pathname` at `base`, or undefined if it is not for GitHub. */
export function answerAsGitHub({ method, pathname, base }) {
  const endpoints = { api: base, proxy: base, telemetry: base, 'origin-tracker': base }
  switch (pathname) {
    case '/copilot_internal/v2/token':
      return token(endpoints)
    case '/copilot_internal/user':
      return { ...account, access_type_sku: 'copilot_enterprise_seat', endpoints }
    case '/user':
      return { login: 'fake-user', id: 1 }
    case '/models':
      return { object: 'list', data: [model] }
    case '/models/session':
      return { available_models: [], session_token: 's' }
    case '/telemetry':
      return method === 'GET' ? assignments : { itemsReceived: 1, itemsAccepted: 1, errors: [] }
    default:
      return undefined
  }
}

function token(endpoints) {
  const expires = Math.floor(Date.now() / 1000) + 3600
  return {
    token: `tid=fake;exp=${expires};sku=copilot_enterprise_seat;st=dotcom;chat=1;agent_mode=1;mcp=1;rt=0;sn=0;8kp=1:fakesig`,
    expires_at: expires,
    refresh_in: 3000,
    sku: 'copilot_enterprise_seat',
    chat_enabled: true,
    copilotignore_enabled: false,
    individual: true,
    telemetry: 'disabled',
    tracking_id: 'fake',
    endpoints,
    organization_list: [],
    enterprise_list: [],
  }
}

const model = {
  id: 'fake',
  name: 'fake',
  object: 'model',
  vendor: 'Fake',
  version: 'fake',
  model_picker_enabled: true,
  is_chat_default: true,
  is_chat_fallback: true,
  capabilities: {
    family: 'fake',
    object: 'model_capabilities',
    type: 'chat',
    tokenizer: 'o200k_base',
    limits: { max_context_window_tokens: 128_000, max_output_tokens: 16_000, max_prompt_tokens: 112_000 },
    supports: { streaming: true, tool_calls: true, parallel_tool_calls: true },
  },
  supported_endpoints: ['/chat/completions'],
  policy: { state: 'enabled', terms: '' },
  billing: { is_premium: false, multiplier: 0 },
}
