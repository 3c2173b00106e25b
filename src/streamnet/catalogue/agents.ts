/** The catalogue's entries about agent wallets. */

import {
  execute,
  list,
  local,
  nullable,
  oneOf,
  optional,
  page,
  record,
  required,
  shared,
  table,
  view,
} from './entry.ts'

const ruleId = required('rule_id', 'tx_hash', 'The rule, 64 hex digits with or without 0x.')
const wallet = required('wallet', 'address', 'The agent wallet.')
const amount = required('amount', 'wei', "In the token's smallest unit.")
const agent = required('agent', 'address', 'The address that makes the rule.')

const terms = [
  required('fee_mode', oneOf('bps', 'flat'), "The agent's commission: a part of each withdrawal, or a fixed sum."),
  optional('fee_bps', 'integer', 'The part in ten-thousandths.', { default: 0, min: 0, max: 10_000 }),
  optional('fee_flat', 'wei', "The sum in the token's smallest unit; none when left out."),
  optional(
    'actions',
    list({
      record: [
        required('action', 'string', 'Its name, exactly as it will be called.'),
        optional('namespace', 'string', 'Its namespace.', { default: 'main' }),
        optional('body_hash', 'bytes', 'The 32 bytes that pin its body.'),
      ],
    }),
    'What the agent and the owner may run as a wallet.',
  ),
  optional('salt', 'bytes', 'Tells rules of the same agent and terms apart.'),
]

const createdAt = { created_at: 'integer' } as const

/** Agent wallets. */
export const agents = [
  execute('create_agent_rule', terms, 'Makes a rule, whose agent is the caller.', { action: 'maa_create_rule' }),
  local(
    'derive_agent_rule',
    [agent, ...terms],
    record({ rule_id: 'tx_hash', rules_hash: 'tx_hash' }),
    "Computes a rule's id from its agent and terms.",
  ),
  local(
    'derive_agent_wallet',
    [required('owner', 'address', 'The address that joins the rule.'), agent, ruleId],
    'address',
    "Computes the address of an owner's wallet of a rule.",
  ),
  execute('join_agent_address', [ruleId], 'Joins a rule, which makes a wallet of the caller.', { action: 'maa_join' }),
  execute(
    'join_and_fund_agent_address',
    [ruleId, shared.bridge, amount],
    'Joins a rule and moves funds of the caller to the new wallet, both or neither.',
    { action: 'maa_join_and_fund' },
  ),
  execute(
    'execute_agent_action',
    [
      wallet,
      required('action', 'string', "The action's name."),
      optional('namespace', 'string', 'Its namespace.', { default: 'main' }),
      optional('args', list('argument'), 'Its arguments, null for one left out.'),
    ],
    'Runs an action as an agent wallet; the caller is its agent or its owner.',
    { action: 'any action' },
  ),
  execute(
    'withdraw_from_agent_wallet',
    [wallet, shared.bridge, amount],
    'Takes funds out of an agent wallet to its owner, who is the caller.',
    { action: 'maa_withdraw' },
  ),
  execute(
    'bridge_out_of_agent_wallet',
    [wallet, shared.bridge, amount, optional('recipient', 'address', 'Who gets it there; the owner when left out.')],
    'Takes funds of an agent wallet to the other chain; the caller is its owner.',
    { action: 'maa_bridge_out' },
  ),
  view(
    'get_agent_rule',
    [ruleId],
    nullable(
      record({
        rule_id: 'tx_hash',
        restricted: 'address',
        rules_hash: 'tx_hash',
        fee_mode: oneOf('bps', 'flat'),
        fee_bps: 'integer',
        fee_flat: 'wei',
        ...createdAt,
      }),
    ),
    'Reads a rule.',
    { action: 'maa_get_rule' },
  ),
  view(
    'get_agent_rule_allowed_actions',
    [ruleId],
    table({ namespace: 'string', action: 'string', body_hash: nullable('bytes') }),
    'Lists what the wallets of a rule may run.',
    { action: 'maa_get_allowed_actions' },
  ),
  view(
    'get_agent_wallet',
    [wallet],
    nullable(
      record({
        maa_address: 'address',
        rule_id: 'tx_hash',
        restricted: 'address',
        unrestricted: 'address',
        ...createdAt,
      }),
    ),
    'Reads an agent wallet: its rule, its agent (restricted) and its owner (unrestricted).',
    { action: 'maa_get_instance' },
  ),
  view('is_agent_wallet', [wallet], 'boolean', 'Tells whether an address is that of an agent wallet.', {
    action: 'maa_is_known',
  }),
  view('get_agent_wallet_balance', [wallet, shared.bridge], 'wei', 'The free balance of an agent wallet.', {
    action: 'maa_get_balance',
  }),
  view(
    'list_agent_rules_by_restricted',
    [required('agent', 'address', 'The agent.'), ...page(100, 10_000)],
    table({ rule_id: 'tx_hash', ...createdAt }),
    'Lists the rules that an agent has made, oldest first.',
    { action: 'maa_list_by_restricted' },
  ),
  view(
    'list_agent_wallets_by_owner',
    [required('owner', 'address', 'The owner.'), ...page(100, 10_000)],
    table({ maa_address: 'address', rule_id: 'tx_hash', ...createdAt }),
    'Lists the agent wallets of an owner, oldest first.',
    { action: 'maa_list_by_unrestricted' },
  ),
  view(
    'list_agent_wallets_by_rule',
    [ruleId, ...page(100, 10_000)],
    table({ maa_address: 'address', unrestricted: 'address', ...createdAt }),
    'Lists the wallets that have joined a rule, oldest first.',
    { action: 'maa_list_instances_by_rule' },
  ),
  view(
    'get_agent_rule_events',
    [ruleId, ...page(100, 10_000)],
    table({
      id: 'integer',
      maa_address: nullable('address'),
      event_type: oneOf('CREATE_RULE', 'JOIN', 'WITHDRAW'),
      actor_role: oneOf('restricted', 'unrestricted'),
      actor_addr: 'address',
      inner_namespace: nullable('string'),
      inner_action: nullable('string'),
      amount: nullable('wei'),
      tx_hash: 'tx_hash',
      block_height: 'integer',
      block_timestamp: 'integer',
    }),
    'Lists the events of a rule and its wallets, oldest first.',
    { action: 'maa_get_events' },
  ),
]
