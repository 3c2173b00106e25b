import { describe, expect, it } from 'vitest'
import { readMaster, readRedirection, readSlots } from '#ratelimit/redis/topology.ts'

const asked = { host: '10.0.0.9', port: 7000 }

describe('readSlots()', () => {
  it('gives every slot of a range to its master', () => {
    const map = readSlots(
      [
        [0, 99, ['10.0.0.1', 7001, 'id'], ['10.0.0.2', 7002, 'id']],
        [200, 200, ['', 7003, 'id']],
      ],
      asked,
    )
    expect(map[0]).toEqual({ host: '10.0.0.1', port: 7001 })
    expect(map[99]).toEqual({ host: '10.0.0.1', port: 7001 })
    expect(map[100]).toBeUndefined()
    expect(map[200]).toEqual({ host: '10.0.0.9', port: 7003 })
  })

  it.each([null, 'OK', [[1, 2]], [['a', 2, ['h', 1]]]])('refuses %j', (reply) => {
    expect(() => readSlots(reply, asked)).toThrow(/Cannot read CLUSTER SLOTS/)
  })
})

describe('readRedirection()', () => {
  it('distinguishes MOVED from ASK', () => {
    const address = { host: '127.0.0.1', port: 6381 }
    expect(readRedirection('MOVED 3999 127.0.0.1:6381', asked)).toEqual({ kind: 'MOVED', address })
    expect(readRedirection('ASK 3999 127.0.0.1:6381', asked)).toEqual({ kind: 'ASK', address })
  })

  it('takes an empty host for the server that answered', () => {
    expect(readRedirection('MOVED 1 :6381', asked)?.address).toEqual({ host: '10.0.0.9', port: 6381 })
  })

  it('keeps every other error', () => {
    expect(readRedirection('CLUSTERDOWN Hash slot not served', asked)).toBeNull()
  })
})

describe('readMaster()', () => {
  it('reads the address', () => {
    expect(readMaster(['10.0.0.1', '6379'])).toEqual({ host: '10.0.0.1', port: 6379 })
  })

  it('is null for a master that the sentinel does not know', () => {
    expect(readMaster(null)).toBeNull()
  })
})
