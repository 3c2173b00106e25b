/** The table of stations: each protocol once, in the order of the polls, with connections that speak it. */

import { describe, expect, it } from 'vitest'
import { protocols } from '#grid/protocols/catalogue.ts'
import { outstationStations, stations } from '#grid/step/stations/catalogue.ts'
import type { OutstationProtocol } from '#grid/telecontrol/telecontrol.ts'

describe('stations', () => {
  it('are polled in this order, which decides every octet that a session recomputes', () => {
    expect(Object.keys(stations)).toEqual(['C37.118', 'Modbus', 'DNP3', 'IEC104', 'MMS', 'SV', 'GOOSE'])
  })

  it('are there for every protocol of the product', () => {
    expect(Object.keys(stations).sort()).toEqual(Object.keys(protocols).sort())
  })
})

describe('outstationStations', () => {
  it.each<[OutstationProtocol, number]>([
    ['Modbus', 502],
    ['DNP3', 20_000],
    ['IEC104', 2404],
    ['MMS', 102],
  ])('%s listens on the registered port %d, and its connections speak it', (protocol, port) => {
    const station = outstationStations[protocol]
    expect(station.port).toBe(port)
    expect(station.open(5).protocol).toBe(protocol)
    expect(stations[protocol]).toBe(station)
  })
})
