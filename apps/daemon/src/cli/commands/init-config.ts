/** What `lockstep init` was told. */
export interface InitAnswers {
  readonly type: 'openai_compatible' | 'openai' | 'anthropic';
  readonly model: string;
  /** For `openai_compatible`. */
  readonly baseUrl: string | null;
  /** Name of the environment variable that holds the key; null = the server needs none. */
  readonly keyEnv: string | null;
  /** US dollars a million tokens; `unknown` is not free, so no cap on cost can be kept. */
  readonly prices: { readonly input: number; readonly output: number } | 'free' | 'unknown';
}

const quoted = (text: string): string => JSON.stringify(text);

const pricesLine = (prices: InitAnswers['prices']): string => {
  if (prices === 'free') return 'prices = "free"';
  const { input, output } = prices === 'unknown' ? { input: 0, output: 0 } : prices;
  const line = `prices = { input_per_mtok = ${input}, output_per_mtok = ${output} }`;
  return prices === 'unknown' ? `# US dollars a million tokens: ${line}` : line;
};

/** The first config of a person with a real provider: one agent that may read and asks before it writes. */
export const initConfig = (answers: InitAnswers): string => {
  const provider = [
    '[providers.main]',
    `type = ${quoted(answers.type)}`,
    ...(answers.baseUrl === null ? [] : [`base_url = ${quoted(answers.baseUrl)}`]),
    `model = ${quoted(answers.model)}`,
    ...(answers.keyEnv === null ? [] : [`api_key = { env = ${quoted(answers.keyEnv)} }`]),
    pricesLine(answers.prices),
  ];
  return `${[
    '# One agent that reads freely in its own folder and asks before it changes anything.',
    '[agents.assistant]',
    'provider = "main"',
    'risk_profile = "careful"',
    'runtime_profile = "normal"',
    '',
    '[risk_profiles.careful]',
    'autonomy = "supervised"',
    '[risk_profiles.careful.tools]',
    'allowed = ["file_*", "time_now", "ask_user"]',
    '',
    '[runtime_profiles.normal.budgets]',
    'max_tool_iterations = 10',
    ...(answers.prices === 'unknown'
      ? ['# A cap in dollars needs the prices of the provider, see below.']
      : []),
    `max_cost_usd_per_turn = ${answers.prices === 'unknown' ? '"unlimited"' : '0.5'}`,
    `max_cost_usd_per_day = ${answers.prices === 'unknown' ? '"unlimited"' : '10'}`,
    '',
    ...provider,
  ].join('\n')}\n`;
};
