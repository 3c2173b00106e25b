import { expect, it } from 'vitest'
import { findNames, offerNames } from '#console/frame/search-index.ts'

const rooms = ['ratelimit', 'grid', 'streams']
const names = (text: string, open: readonly string[] = rooms) =>
  findNames(text, open).map(({ name, kind }) => `${kind} ${name}`)

it('findNames() finds names that hold every word, and lists those first that begin with the first word', () => {
  offerNames('a', [
    { name: 'shop.login', kind: 'rule', href: '/rule' },
    { name: 'Bus 9', kind: 'bus', href: '/bus/9' },
    { name: 'login_mia', kind: 'key', href: '/key' },
  ])
  expect(names('login')).toEqual(['key login_mia', 'rule shop.login'])
  expect(names('rule LOG')).toEqual(['rule shop.login'])
  expect(names('nothing')).toEqual([])
  expect(names('  ')).toEqual([])
})

it('findNames() lists a name once that two places offer, and no name that its place has replaced', () => {
  const one = { name: 'Bus 7', kind: 'bus', href: '/bus/7' }
  offerNames('b', [one])
  offerNames('c', [one])
  expect(names('bus 7')).toEqual(['bus Bus 7'])
  offerNames('b', [])
  offerNames('c', [])
  expect(names('bus 7')).toEqual([])
})

it('findNames() takes a text by its form for a transaction, a block or an incident of a room that runs', () => {
  const hash = 'AB'.repeat(32)
  expect(findNames(`0x${hash}`, rooms)).toEqual([
    { name: `0x${hash}`, kind: 'transaction', href: `/console/streams/chain?tx=${hash.toLowerCase()}` },
  ])
  expect(names('1234')).toEqual(['block 1234'])
  expect(names('0a1b2c3d')).toEqual(['incident 0a1b2c3d'])
  expect(names('0a1b2c3d', ['streams'])).toEqual([])
})

it('findNames() finds every name of one kind, also where several open the same view', () => {
  offerNames('tree', [
    { name: 'shop.order', kind: 'rule', href: '/console/ratelimit?rules=tree' },
    { name: 'shop.order.user', kind: 'rule', href: '/console/ratelimit?rules=tree' },
    { name: 'CB-4-5', kind: 'breaker', href: '/console/grid?bus=4' },
    { name: 'CB-4-9', kind: 'breaker', href: '/console/grid?bus=4' },
  ])
  expect(names('order')).toEqual(['rule shop.order', 'rule shop.order.user'])
  expect(names('cb-4')).toEqual(['breaker CB-4-5', 'breaker CB-4-9'])
  offerNames('tree', [])
})

it('findNames() lists a match by form even where more names hold the text than it lists', () => {
  const many = Array.from({ length: 40 }, (_, at) => ({
    name: `st12345678-${at}`,
    kind: 'stream',
    href: `/console/streams/${at}`,
  }))
  offerNames('many', many)
  const found = names('12345678')
  expect(found).toHaveLength(12)
  expect(found.slice(-2)).toEqual(['block 12345678', 'incident 12345678'])
  offerNames('many', [])
})
