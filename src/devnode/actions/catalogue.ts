/** Every action of the node by its name. */

import { marketBookActions } from '../market-actions/book.ts'
import { marketActions } from '../market-actions/markets.ts'
import { marketOrderActions } from '../market-actions/orders.ts'
import { marketSettingActions } from '../market-actions/settings.ts'
import { marketSettlementActions } from '../market-actions/settlement.ts'
import type { Action } from './action.ts'
import { agentViewActions } from './agent-views.ts'
import { agentActions } from './agents.ts'
import { attestationActions } from './attestations.ts'
import { balanceActions } from './balances.ts'
import { bridgeActions } from './bridges.ts'
import { extremeActions } from './extremes.ts'
import { metadataActions } from './metadata.ts'
import { permissionActions } from './permissions.ts'
import { recordActions } from './records.ts'
import { roleActions } from './roles.ts'
import { seriesActions } from './series.ts'
import { sizeActions } from './size.ts'
import { streamLookupActions } from './stream-lookups.ts'
import { streamActions } from './streams.ts'
import { taxonomyActions } from './taxonomies.ts'
import { thresholdActions } from './thresholds.ts'
import { transactionInputActions } from './transaction-inputs.ts'
import { transactionActions } from './transactions.ts'

/** The node's actions, in the order of their names; a new group is one more line here. */
export const actions: ReadonlyMap<string, Action> = new Map(
  [
    ...streamActions,
    ...streamLookupActions,
    ...metadataActions,
    ...permissionActions,
    ...recordActions,
    ...seriesActions,
    ...taxonomyActions,
    ...roleActions,
    ...transactionActions,
    ...transactionInputActions,
    ...sizeActions,
    ...balanceActions,
    ...bridgeActions,
    ...agentActions,
    ...agentViewActions,
    ...attestationActions,
    ...thresholdActions,
    ...extremeActions,
    ...marketActions,
    ...marketOrderActions,
    ...marketBookActions,
    ...marketSettlementActions,
    ...marketSettingActions,
  ]
    .map((action) => [action.name, action] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1)),
)
