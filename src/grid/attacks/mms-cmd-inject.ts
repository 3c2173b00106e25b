/** MMS_CMD_INJECT: selects and operates a breaker of an IEC 61850 station that the control centre never meant to move. */

import { closeConnection } from '../step/connections.ts'
import { linkOf, type Outstation, type Telecontrol } from '../telecontrol/telecontrol.ts'
import { defineAttack } from './definition.ts'
import { parameterMistake } from './params.ts'
import { actUs, commandBreaker, commandConnectionId, forgedCommands, openRogue } from './rogue.ts'
import { techniques } from './techniques.ts'

/** Steps after its association at which a separate client closes its connection. */
const closingSteps = 3

/** Writes the control objects of one breaker, as a second client or inside the association of the control centre. */
export const mmsCmdInject = defineAttack({
  type: 'MMS_CMD_INJECT',
  name: 'MMS select before operate injection',
  protocol: 'MMS',
  ...forgedCommands,
  needs: 'MMS',
  params: {
    breaker: {
      type: 'string',
      default: 'CB-4-7',
      maxLength: 64,
      description: 'id of a breaker of an IEC 61850 station',
    },
    control: { type: 'string', default: 'open', enum: ['open', 'close'] },
    rogue_source: {
      type: 'boolean',
      default: true,
      description: 'false: inside the association of the control centre',
    },
  },
  frameEffect: 'a second association from a foreign host, or invoke ids that jump; writes of SBOw and Oper',
  gridEffect: 'the breaker operates',
  expectedDetection: 'a second client, a write from a host that is not a master, a termination without an order',
  defaults: (_, plan) => {
    const first = findFirst(plan)
    return first === undefined || findStation(plan, 'CB-4-7') !== undefined ? {} : { breaker: first }
  },
  links: ({ breaker }, plan) => linkOf(findStation(plan, breaker)?.outstation),
  check: ({ breaker }, plan) =>
    findStation(plan, breaker) === undefined
      ? [
          parameterMistake(
            'breaker',
            `is "${breaker}", expected one of an IEC 61850 station such as "${findFirst(plan)}"`,
          ),
        ]
      : [],
  moves: ({ breaker, control }, { branchByBreaker }) => [[branchByBreaker.get(breaker) ?? 0, control === 'close']],
  forge(scene) {
    const { context, params, frame } = scene
    const found = findStation(context.plan, params.breaker)
    if (found === undefined) return
    const { outstation, index } = found
    const id = commandConnectionId(scene, outstation, params.rogue_source)
    const timeUs = context.startUs + actUs
    if (frame === 0 && params.rogue_source) openRogue(scene, outstation, 'MMS_CMD_INJECT', techniques.commandMessage)
    const connection = context.world.connections[id]
    // The association is there by the next step; a forger inside the control centre's waits until there is one.
    const isReady = frame > 0 && connection?.dialogue.protocol === 'MMS' && connection.dialogue.phase === 'open'
    if (isReady && scene.memory.doneAt === undefined) {
      scene.memory.doneAt = frame
      commandBreaker(scene, connection, outstation, { index, closed: params.control === 'close', timeUs })
    }
    if (params.rogue_source && frame === Number(scene.memory.doneAt) + closingSteps) {
      closeConnection(context, id, timeUs)
    }
  },
})

/** The IEC 61850 station that has a breaker, and its position there. */
function findStation(
  { outstations, branchByBreaker }: Telecontrol,
  breaker: string,
): { readonly outstation: Outstation; readonly index: number } | undefined {
  const branch = branchByBreaker.get(breaker) ?? 0
  const outstation = outstations.find(({ protocol, branches }) => protocol === 'MMS' && branches.includes(branch))
  return outstation && { outstation, index: outstation.branches.indexOf(branch) }
}

/** The first breaker of an IEC 61850 station. */
function findFirst({ outstations, breakerNames }: Telecontrol): string | undefined {
  return breakerNames.get(outstations.find(({ protocol }) => protocol === 'MMS')?.branches[0] ?? 0)
}
