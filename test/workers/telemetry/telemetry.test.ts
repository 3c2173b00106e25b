/** A running simulation as data streams: readings, the composed stream, and the attestation of a session that ended. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateStreamId } from '#streamnet/index.ts'
import { operatorToken, type RunningBundle, startBundle } from '../../support/bundle.ts'
import { gatewayAddress, gatewayCaller, gatewayVars, operateNode } from '../../support/gateway-bundle.ts'
import { gridClient, gridToken } from '../../support/grid-service.ts'

const vars = {
  ...gatewayVars,
  GRID_TOKEN: gridToken,
  STREAMNET_ADMIN_TOKEN: operatorToken,
  STREAMNET_NODE: 'read',
}
const streamOf = (reading: string) => generateStreamId(`sluice grid default ${reading}`)
let bundle: RunningBundle

beforeAll(async () => {
  bundle = await startBundle({
    worker: 'index',
    rebuild: true,
    vars: { ...vars, GRID_TELEMETRY_SECONDS: '1' },
  })
  const amount = `1${'0'.repeat(21)}`
  await operateNode(bundle, operatorToken, 'dev.setBalance', {
    bridge: 'hoodi_tt',
    wallet: gatewayAddress,
    amount,
  })
})

afterAll(() => bundle?.stop())

async function recordsOf(reading: string): Promise<readonly { readonly date: number; readonly value: string }[]> {
  const { status, body } = await gatewayCaller(bundle.url)(`/get_records?stream_id=${streamOf(reading)}&date_from=1`)
  return status === 200 ? body.result : []
}

describe('GRID_TELEMETRY_SECONDS', () => {
  it('publishes frequency, load, losses and alarms of a running simulation, and the composed health', async () => {
    const client = gridClient(bundle.url)
    await client.post('/sim/config', { seed: 7, auto_pause_s: 0 })
    await client.post('/sim/start')
    await expect.poll(async () => (await recordsOf('health')).length).toBeGreaterThan(1)
    const [frequency, load, losses, alarms, health] = await Promise.all(
      ['frequency', 'load', 'losses', 'alarms', 'health'].map(async (name) =>
        Number((await recordsOf(name))[0]?.value),
      ),
    )
    expect(frequency).toBeGreaterThan(59)
    expect(frequency).toBeLessThan(61)
    expect(load).toBeGreaterThan(100)
    expect(losses).toBeGreaterThan(0)
    expect(alarms).toBeGreaterThanOrEqual(1)
    const weighted = (4 * (frequency ?? 0) + 2 * (load ?? 0) + (losses ?? 0) + 3 * (alarms ?? 0)) / 10
    expect(health).toBeCloseTo(weighted, 6)
  })

  it("publishes the detector's score beside the health, below 1 before forged values arrive and above 1 then", async () => {
    await expect.poll(async () => (await recordsOf('score')).length).toBeGreaterThan(0)
    const scores = async () => (await recordsOf('score')).map(({ value }) => Number(value))
    expect((await scores())[0]).toBeGreaterThan(0)
    expect((await scores())[0]).toBeLessThan(1)
    await gridClient(bundle.url).post('/attack/enable', { type: 'NOISE', params: { noise_std: 3 } })
    await expect.poll(async () => Math.max(...(await scores()))).toBeGreaterThan(1)
    await gridClient(bundle.url).post('/attack/disable', { type: 'NOISE' })
  })

  it('attests the history of the session once it has stopped', async () => {
    await gridClient(bundle.url).post('/sim/stop')
    const call = gatewayCaller(bundle.url)
    const attested = async () => (await call('/list_attestations')).body.result
    await expect.poll(async () => (await attested()).length).toBe(1)
    expect((await attested())[0]).toMatchObject({ stream_id: streamOf('health') })
    const { length } = await recordsOf('health')
    // Its records end with it.
    expect((await recordsOf('health')).length).toBe(length)
  })

  it('publishes nothing without it', async () => {
    const single = await startBundle({ worker: 'index', vars })
    try {
      await gridClient(single.url).post('/sim/start')
      const { status } = await gatewayCaller(single.url)(`/get_records?stream_id=${streamOf('health')}&date_from=1`)
      expect(status).not.toBe(200)
    } finally {
      await single.stop()
    }
  })
})
