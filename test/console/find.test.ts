import { expect, it } from 'vitest'
import { findNames, offerNames } from '../../console/frame/find.ts'

const rooms = ['ratelimit', 'grid', 'streams']
const names = (text: string, open: readonly string[] = rooms) =>
  findNames(text, open).map(({ name, kind }) => `${kind} ${name}`)

it('findNames() finds what holds every word, names that begin with the first one before others', () => {
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

it('findNames() finds once what two places offer, and no longer what a place has replaced', () => {
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
