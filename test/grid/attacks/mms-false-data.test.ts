/** MMS_FALSE_DATA: the control centre sees other values and no open breaker, the station keeps its own. */

import { describe, expect, it } from 'vitest'
import { applyCommand } from '#grid/step/apply-command.ts'
import { techniqueOf } from '../../support/attack-catalogue.ts'
import { detectors, duel, handled } from '../../support/attack-session.ts'
import { changesIn, enable, runSteps, startWorld } from '../../support/grid-session.ts'

const settings = { configuration: { iec61850: 2 } }

describe('MMS_FALSE_DATA', () => {
  const run = duel('MMS_FALSE_DATA', { factor: 1.5, target_link: 'CC--RTU-4' }, settings)

  it('multiplies the measurements of one station, and of no other', () => {
    const { values } = run.attacked.world.view
    const sample = run.attacked.world.samples['RTU-4']?.values ?? []
    expect(values.V_4).toBeCloseTo((sample[0] ?? 0) * 1.5, 5)
    expect(values.V_9).toBeCloseTo(run.attacked.world.samples['RTU-9']?.values[0] ?? 0, 5)
  })

  it('keeps the length of every answer, and names the fields that it changed', () => {
    const messages = handled(run.attacked)
    expect(messages.length).toBeGreaterThan(1)
    for (const { before, after } of messages) {
      expect(after?.payloadLength).toBe(before.payloadLength)
      expect(after && changesIn(after).map(({ field }) => field)).toContain('pdu.response.results.0.value')
    }
  })

  it('gives itself away by residuals, and has its technique', () => {
    expect(detectors(run.alarms)).toEqual(expect.arrayContaining(['largest_residual']))
    const own = run.attacked.incidents.filter(({ status }) => status !== 'clean')
    for (const { technique } of own) expect(technique).toEqual(techniqueOf('MMS_FALSE_DATA'))
  })

  it.each([
    [true, true],
    [false, false],
  ])('with hide_open %s the control centre sees an opened breaker as closed: %s', (hide_open, isSeenClosed) => {
    const { world } = runSteps(startWorld(settings.configuration), 45)
    enable(world, 'MMS_FALSE_DATA', { factor: 1, hide_open })
    applyCommand(world, { kind: 'trip', step: world.step, breaker: 'CB-4-9' })
    runSteps(world, 40)
    expect(world.plant.open).toEqual([9])
    expect(world.view.closed[9]).toBe(isSeenClosed)
  })
})
