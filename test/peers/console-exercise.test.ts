/** An exercise in Chromium, with what the page says: a scenario is chosen, played, asked about, and told. */

import { describe, expect, it } from 'vitest'
import { bundleConsole } from '#bin/bundle-console.ts'
import { startBundle } from '../support/bundle.ts'
import { chromiumPath, startBrowser } from '../support/chromium.ts'
import { expectAccessible, expectNoSidewaysScroll, openConsole } from '../support/console.ts'
import { gridClient, gridToken } from '../support/grid-service.ts'
import { host } from '../support/host.ts'

const trainee = { name: 'kim', token: 'a-token-of-a-trainee', simulation: 'default', right: 'trainee' }

describe.skipIf(chromiumPath === null)('an exercise in the console (skipped without Chromium)', () => {
  const bundle = host(async () => {
    await bundleConsole()
    const vars = { GRID_TOKEN: gridToken, GRID_ROLES: JSON.stringify([trainee]) }
    return startBundle({ worker: 'index', rebuild: true, vars })
  })
  const browser = host(() => startBrowser())

  it('goes from the choice of a scenario to the debrief', { timeout: 120_000 }, async () => {
    const client = gridClient(bundle.url)
    await client.post('/sim/config', { seed: 1 })
    await client.post('/sim/speed', { speed: 60 })
    const opened = await openConsole(browser, bundle.url, '/console/grid', { tokens: { grid: gridToken } })
    const { page } = opened
    page.setDefaultTimeout(20_000)
    await page.getByRole('button', { name: 'Exercise' }).click()
    await page.getByRole('button', { name: /^Play Two lines open, and one of them/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Begin the exercise' }).click()
    const sheet = page.getByRole('complementary', { name: 'Exercise' })
    await sheet.getByRole('heading', { name: 'Two lines open, and one of them by a forged command' }).waitFor()
    await sheet.getByText('Lightning; the relay of line 13-14 trips it.').waitFor()
    await sheet.getByText('Finished').waitFor({ timeout: 60_000 })
    expect(await sheet.locator('li.passed').count()).toBeGreaterThan(8)
    await expectAccessible(page)

    await sheet.getByRole('button', { name: 'As a trainee' }).click()
    await sheet.getByText(/^A thunderstorm passes/).waitFor()
    expect(await sheet.getByText(/forged|Lightning/).count()).toBe(1)
    await sheet.getByLabel('Which outstation received the forged command?').fill('rtu-2')
    await sheet.getByLabel(/^Which ATT&CK technique is it/).fill('T0814')
    await expectAccessible(page)

    await sheet.getByRole('button', { name: 'Debrief' }).click()
    await sheet.getByText('Right: rtu-2').waitFor()
    await sheet.getByText('Answered T0814').waitFor()
    await sheet.getByText(/The labels say: T1692\.001/).waitFor()
    await expectNoSidewaysScroll(page)

    const other = await openConsole(browser, bundle.url, '/console/grid?exercise=1', {
      tokens: { grid: trainee.token },
    })
    other.page.setDefaultTimeout(20_000)
    const briefing = other.page.getByRole('complementary', { name: 'Exercise' })
    await briefing.getByText(/^A thunderstorm passes/).waitFor()
    await briefing.getByLabel('Which outstation received the forged command?').waitFor()
    expect(await briefing.getByText(/Lightning|The labels say/).count()).toBe(0)
    await briefing.getByLabel('Which outstation received the forged command?').fill('RTU-13')
    await briefing.getByRole('button', { name: 'Hand in' }).click()
    await briefing.getByText('The trainer has the answers').waitFor()
    await sheet.getByText('kim: Answered RTU-13').waitFor()
    expect(other.faults).toEqual([])
    await other.close()

    await sheet.getByRole('button', { name: 'Restart' }).click()
    await sheet.getByText(/^\d+ of 240 s$/).waitFor()
    expect([opened.faults, opened.foreign]).toEqual([[], []])
    await opened.close()
  })
})
