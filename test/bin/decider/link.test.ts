/** The connection of a front over a socket of the test: what is sent when, and what becomes of a loss. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFrontLink, type FrontLink } from '#bin/decider/link.ts'
import { frontCloseCodes } from '#ratelimit/front/messages.ts'
import { fakeSockets } from '../../support/fake-sockets.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setUp({ onReady = () => {} }: { readonly onReady?: (link: FrontLink) => void } = {}) {
  const { connect, sockets, at } = fakeSockets()
  const warnings: string[] = []
  const link: FrontLink = createFrontLink({
    connect,
    onReady: () => onReady(link),
    warn: (message) => warnings.push(message),
  })
  return { link, sockets, at, warnings }
}

const rules = (revision: number) => ({ kind: 'rules', revision, listVersion: 0 }) as const
const turn = () => vi.advanceTimersByTimeAsync(0)

describe('createFrontLink().ask()', () => {
  it('sends the questions of one turn in one message, and takes answers in any order', async () => {
    const { link, at } = setUp()
    at(0).say(['ready', {}])
    const asked = [link.ask(rules(1)), link.ask(rules(2))]
    expect(at(0).sent).toEqual([])
    await turn()
    expect(at(0).sent).toEqual(['[1,["rules",1,1,0],["rules",2,2,0]]'])
    at(0).say(['ok', 2, 'second'], ['part', 1, '"fi'], ['part', 1, 'rst"'], ['ok', 1, null])
    expect(await Promise.all(asked)).toEqual(['first', 'second'])
    void link.ask(rules(3)).catch(() => {})
    await turn()
    expect(at(0).sent[1]).toBe('[2,["rules",3,3,0]]')
    link.close()
  })

  it('fails in the words of the service', async () => {
    const { link, at } = setUp()
    at(0).say(['ready', {}])
    const asked = link.ask(rules(1))
    await turn()
    at(0).say(['failed', 1, 'redis is away'])
    await expect(asked).rejects.toMatchObject({ code: 'counter_unavailable', message: 'redis is away' })
    link.close()
  })

  it('never sends again what was sent before a loss; what was not sent waits for the next connection', async () => {
    const { link, at } = setUp()
    at(0).say(['ready', {}])
    const sent = link.ask(rules(1)).catch((error: Error) => error.message)
    await turn()
    at(0).lose()
    expect(await sent).toBe('Cannot count: the connection to the service was lost')
    const waiting = link.ask(rules(2))
    await vi.advanceTimersByTimeAsync(10)
    at(1).say(['ready', {}])
    await turn()
    expect(at(1).sent).toEqual(['[1,["rules",2,2,0]]'])
    at(1).say(['ok', 2, 5])
    expect(await waiting).toBe(5)
    link.close()
  })

  it('fails when the link is closed, whether it was sent or not, and after', async () => {
    const { link, at } = setUp()
    at(0).say(['ready', {}])
    const sent = link.ask(rules(1)).catch((error: Error) => error.message)
    await turn()
    const unsent = link.ask(rules(2)).catch((error: Error) => error.message)
    link.close()
    const state = 'Cannot count: the connection to the service was lost'
    expect(await Promise.all([sent, unsent])).toEqual([state, state])
    await expect(link.ask(rules(3))).rejects.toMatchObject({ code: 'counter_unavailable' })
    await turn()
    expect(at(0).sent).toHaveLength(1)
  })

  it('fails at once while the service is away, and asks again once it is back', async () => {
    const { link, at, sockets, warnings } = setUp()
    at(0).lose(1006, 'gone')
    await expect(link.ask(rules(1))).rejects.toMatchObject({ code: 'counter_unavailable' })
    expect(warnings).toEqual(['Front connection: gone'])
    await vi.advanceTimersByTimeAsync(100)
    expect(sockets.length).toBe(2)
    at(1).say(['ready', {}])
    expect([link.isOpen(), link.mayDecide()]).toEqual([true, true])
    link.close()
  })

  it('leaves settings that onReady() refuses after longer and longer pauses, and warns of them once', async () => {
    const { link, at, sockets, warnings } = setUp({
      onReady() {
        throw new Error('SHADOW_MODE is "perhaps"')
      },
    })
    at(0).lose(frontCloseCodes.forwarding, 'another release')
    for (let index = 1; index <= 5; index++) {
      await vi.advanceTimersByTimeAsync(5_000)
      expect(sockets.length).toBe(index + 1)
      at(index).say(['ready', {}])
      expect([link.isOpen(), link.mayDecide()]).toEqual([false, false])
      // Half of the least pause after so many failures in a row.
      await vi.advanceTimersByTimeAsync(50 * 2 ** index - 1)
      expect(sockets.length).toBe(index + 1)
    }
    expect(warnings).toEqual(['Front connection: another release', 'Front connection: SHADOW_MODE is "perhaps"'])
    link.close()
  })

  it('is ready for what onReady() asks, also after attempts that failed', async () => {
    const { link, at } = setUp({ onReady: (ready) => void ready.ask(rules(1)).catch(() => {}) })
    at(0).lose()
    await vi.advanceTimersByTimeAsync(100)
    at(1).say(['ready', {}])
    await turn()
    expect(at(1).sent).toEqual(['[1,["rules",1,1,0]]'])
    link.close()
  })
})

describe('createFrontLink(), a message that is wrong', () => {
  it.each([
    ['is repeated', '[1,["ready",{}]]'],
    ['is cut in half', '[2,["ok",'],
    ['has an answer in parts that are cut in half', '[2,["part",1,"[1,"],["ok",1,null]]'],
    ['answers what was not asked', '[2,["ok",9,1]]'],
  ])('that %s ends the connection, and its questions', async (_, text) => {
    const { link, at, sockets } = setUp()
    at(0).say(['ready', {}])
    const asked = link.ask(rules(1)).catch((error: Error) => error.message)
    await turn()
    at(0).sayText(text)
    expect(await Promise.race([asked, turn()])).toContain('the connection to the service was lost')
    await vi.advanceTimersByTimeAsync(10)
    expect(sockets.length).toBe(2)
    link.close()
  })
})

describe('createFrontLink().mayDecide()', () => {
  it('is false after a refusal of the service, which is asked again after seconds', async () => {
    const { link, at, sockets } = setUp()
    at(0).lose(frontCloseCodes.forwarding, 'another release')
    expect(link.mayDecide()).toBe(false)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(sockets.length).toBe(1)
    await vi.advanceTimersByTimeAsync(3_001)
    at(1).say(['ready', {}])
    expect(link.mayDecide()).toBe(true)
    link.close()
  })

  it('stays true when a service is silent: its connection is made anew', async () => {
    const { link, at, sockets } = setUp()
    at(0).say(['ready', {}])
    void link.ask(rules(1)).catch(() => {})
    await vi.advanceTimersByTimeAsync(31_000)
    expect([sockets.length > 1, link.mayDecide()]).toEqual([true, true])
    link.close()
  })
})
